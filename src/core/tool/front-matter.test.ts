import { expect, test } from "vitest";
import { GENEROUS, growth } from "../../../test/fixtures/cost.ts";
import { quotePlainValues, splitFrontMatter } from "./front-matter.ts";

test.each([
  ["---\na: 1\n---\nText\n", { front: "a: 1\n", body: "Text" }],
  ["\ufeff---\r\na: 1\r\n---\r\nText", { front: "a: 1\r\n", body: "Text" }],
  ["---\n---", { front: "", body: "" }],
  ["Text\n---\na: 1\n---\n", null],
  ["---\na: 1\n", null],
])("%j", (text, expected) => {
  expect(splitFrontMatter(text)).toEqual(expected);
});

test.each([
  ["a: b: c", 'a: "b: c"'],
  ["a: b: c  \r\nd: e", 'a: "b: c"  \r\nd: e'],
  ["a: ends in:", 'a: "ends in:"'],
  ['a: "b" c', 'a: "\\"b\\" c"'],
  ["a: [b] [c]", 'a: "[b] [c]"'],
  ["a: *", 'a: "*"'],
  ["a: plain", "a: plain"],
  ['a: "b: c" # d', 'a: "b: c" # d'],
  ["a: 'it''s: c'", "a: 'it''s: c'"],
  ["a: [b, c] # d", "a: [b, c] # d"],
  ["a: [b", "a: [b"],
  ["a: { b: c }", "a: { b: c }"],
  ["a: |\n  b: c: d", "a: |\n  b: c: d"],
  ["a: b: c\n  d", "a: b: c\n  d"],
  ["a: [\n  b: c\n]", "a: [\n  b: c\n]"],
  ["  a: b: c", "  a: b: c"],
])("%j is read as %j", (front, expected) => {
  expect(quotePlainValues(front)).toBe(expected);
});

test.each([" ", "a: ", ": ", '"', "[", "[]"])("a line made of %j alone costs no more than its length", (part) => {
  const cost = (length: number) => {
    const front = `a: b${part.repeat(length)}: c`;
    return () => void quotePlainValues(front);
  };
  expect(growth(20_000, cost)).toBeLessThan(GENEROUS);
});
