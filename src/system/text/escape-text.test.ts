import { expect, test } from "vitest";
import { escapeText, toJson } from "./escape-text.ts";

test.each([
  ["plain text stays", "github/create_issue", "github/create_issue"],
  ["an escape sequence is written out", "a\u001b[2Jb", "a\\x1b[2Jb"],
  ["a C1 control sequence is written out", "a\u009b31mb", "a\\x9b31mb"],
  ["line breaks stay on one line", "a\nb\r\tc", "a\\nb\\r\\tc"],
  ["direction overrides are written out", "a\u202eb", "a\\u{202e}b"],
  ["zero-width characters are written out", "vi\u200bew\u200d", "vi\\u{200b}ew\\u{200d}"],
  ["tag characters are written out", "a\u{e0041}b", "a\\u{e0041}b"],
  ["half a surrogate pair is written out", "a\ud800b", "a\\u{d800}b"],
  ["letters of other scripts stay", "日本語 é ش", "日本語 é ش"],
  ["emoji keep their joiners", "👨‍👩‍👧 ❤️‍🔥", "👨‍👩‍👧 ❤️‍🔥"],
])("%s", (_, text, expected) => {
  expect(escapeText(text)).toBe(expected);
});

test("JSON means the same and holds no control character", () => {
  const value = { text: "\u001b[2J \u009b \u202e \u007f é" };
  const json = toJson(value, false);
  expect(JSON.parse(json)).toEqual(value);
  expect(json).toBe('{"text":"\\u001b[2J \\u009b \\u202e \\u007f é"}\n');
});

test("JSON shows what is invisible, and means the same", () => {
  const value = { text: "a\u{e0041}b\u200b\ufeff\u{e0100}c 👨\u200d👩 ❤\ufe0f" };
  const json = toJson(value, false);
  expect(JSON.parse(json)).toEqual(value);
  expect(json).toBe('{"text":"a\\udb40\\udc41b\\u200b\\ufeff\\udb40\\udd00c 👨\\u200d👩 ❤\ufe0f"}\n');
});
