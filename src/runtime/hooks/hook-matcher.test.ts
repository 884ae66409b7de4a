import { expect, test } from "vitest";
import { GENEROUS, growth } from "../../../test/fixtures/cost.ts";
import { isMatched } from "./hook-matcher.ts";

test.each([
  [null, ["bash"], true],
  ["", ["bash"], true],
  ["*", ["bash"], true],
  ["Bash", ["bash", "Bash"], true],
  ["Edit|Write", ["create", "Write"], true],
  ["Edit, Write", ["create", "Write"], true],
  ["Edi", ["Edit"], false],
  ["mcp__memory", ["mcp__memory__create"], false],
  ["mcp__memory__.*", ["mcp__memory__create"], true],
  ["mcp__.*__write.*", ["mcp__files__write_file"], true],
  ["^Notebook", ["Edit"], false],
  ["dit$", ["Edit"], true],
  ["(broken", ["anything"], true],
])("the matcher %j on %j: %s", (matcher, names, expected) => {
  expect(isMatched(matcher, names)).toBe(expected);
});

test("a hostile pattern costs linear time", () => {
  const ratio = growth(1_000, (length) => () => isMatched("^(a+)+$", [`${"a".repeat(length)}!`]));
  expect(ratio).toBeLessThan(GENEROUS);
});
