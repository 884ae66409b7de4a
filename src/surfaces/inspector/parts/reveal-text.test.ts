import { describe, expect, test } from "vitest";
import { escapeText } from "../../../system/text/escape-text.ts";
import { splitHidden, toOneLine } from "./reveal-text.ts";

describe("text of a server", () => {
  test.each([
    ["a direction override", "a\u202eb", "a\\u{202e}b"],
    ["a space without width", "a\u200bb", "a\\u{200b}b"],
    ["a tag character", "a\u{e0041}b", "a\\u{e0041}b"],
    ["an escape sequence", "\u001b[31mred", "\\x1b[31mred"],
    ["a line", "a\nb\tc", "a\\nb\\tc"],
  ])("shows %s", (_, text, shown) => {
    expect(toOneLine(text)).toBe(shown);
  });

  test.each(["plain", "שלום ไทย नमस्ते", "👩‍👩‍👧 ❤️", "a\u202eb\u0000\u2028", "\ud800"])(
    "%j reads as in the terminal",
    (text) => {
      expect(toOneLine(text)).toBe(escapeText(text));
    },
  );

  test("keeps its lines where there is room for them", () => {
    expect(splitHidden("a\nb\u200b", true)).toEqual([
      { kind: "plain", text: "a\nb" },
      { kind: "escaped", text: "\\u{200b}", codePoint: "U+200B" },
    ]);
  });
});
