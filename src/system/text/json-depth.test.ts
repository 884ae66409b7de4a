import fc from "fast-check";
import { expect, test } from "vitest";
import { GENEROUS, growth } from "../../../test/fixtures/cost.ts";
import { depthAfter, isTooDeep } from "./json-depth.ts";

const nested = (open: string, levels: number, close: string): string =>
  `${open.repeat(levels)}1${close.repeat(levels)}`;

test.each([
  ["[", "]"],
  ['{"a":', "}"],
  ['[{"b\\"[[[":', "}]"],
  [" [ ", " ] "],
])("levels of %j are counted, up to a thousand", (open, close) => {
  const each = open.startsWith("[{") ? 2 : 1;
  expect(isTooDeep(nested(open, 1_000 / each, close))).toBe(false);
  expect(isTooDeep(nested(open, 1_000 / each + 1, close))).toBe(true);
  expect(isTooDeep(nested(open, 100_000, close))).toBe(true);
});

test("brackets in texts are none, however the texts are written", () => {
  for (const text of [
    "[".repeat(5_000),
    `\\"${"{".repeat(5_000)}`,
    `\\\\${"[".repeat(3_000)}`,
    `"${"[".repeat(3_000)}"`,
  ])
    expect(isTooDeep(JSON.stringify({ text, list: [text] }))).toBe(false);
  expect(isTooDeep(`{"a":"\\\\","b":${nested("[", 1_001, "]")}}`)).toBe(true);
});

test("every piece of honest JSON ends at the level where it began, wherever it is cut", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), fc.json(), (one, other) => {
      const json = `[${one},\n${other}]`;
      expect(depthAfter(json, 0)).toBe(0);
      const [first = "", second = ""] = [json.slice(0, one.length + 2), json.slice(one.length + 2)];
      expect(depthAfter(second, depthAfter(first, 0))).toBe(0);
    }),
  );
});

test.each(['"', '\\"', '"\\', "[]", '"\\\\" '])("costs linear time on %j", (piece) => {
  const cost = growth(20_000, (size) => {
    const text = piece.repeat(size);
    return () => depthAfter(text, 0);
  });
  expect(cost).toBeLessThan(GENEROUS);
});
