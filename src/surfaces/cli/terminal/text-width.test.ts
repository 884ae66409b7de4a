import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutText, fitText, widthOf, wrapText } from "./text-width.ts";

test.each([
  ["view", 4],
  ["日本語", 6],
  ["한국어", 6],
  ["é", 1],
  ["e\u0301", 1],
  ["👨‍👩‍👧", 2],
  ["🇩🇪", 2],
  ["❤️", 2],
  ["ｆｕｌｌ", 8],
  ["ش", 1],
  ["", 0],
])("%s takes %i columns", (text, width) => {
  expect(widthOf(text)).toBe(width);
});

describe("cutting", () => {
  test.each([
    ["create_issue", 20, "create_issue"],
    ["create_issue", 12, "create_issue"],
    ["create_issue", 7, "create…"],
    ["日本語", 6, "日本語"],
    ["日本語", 5, "日本…"],
    ["日本語", 4, "日…"],
    ["日本語", 1, "…"],
    ["view", 0, ""],
  ])("%s in %i columns is %s", (text, width, expected) => {
    expect(cutText(text, width)).toBe(expected);
  });

  test("whatever the text, it fits exactly when padded", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "日", "é", "👍", " ", "ش") });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 30 }), (content, width) => {
        expect(widthOf(fitText(content, width))).toBe(width);
      }),
    );
  });

  test("a stack of accents cannot reach far", () => {
    expect(cutText(`a${"\u0301".repeat(1000)}`, 10).length).toBeLessThan(20);
  });
});

test("words are wrapped, and a long one stands alone", () => {
  expect(wrapText("one two abcdefghijkl three", 8)).toEqual(["one two", "abcdefghijkl", "three"]);
});
