import { expect, test } from "vitest";
import { editText, insertText, type Key, moveLine, NOTHING_TYPED, type TypedText } from "./typed-text.ts";

/** The text with `|` where the cursor stands. */
function typed(shown: string): TypedText {
  const at = shown.indexOf("|");
  return { text: shown.replace("|", ""), at };
}

function show({ text, at }: TypedText): string {
  return `${text.slice(0, at)}|${text.slice(at)}`;
}

const ctrl = (name: string): Key => ({ name, ctrl: true });
const meta = (name: string): Key => ({ name, meta: true });

test.each<[string, Key, string]>([
  ["ab|", { name: "left" }, "a|b"],
  ["a👩‍👩‍👧|", { name: "backspace" }, "a|"],
  ["|👩‍👩‍👧b", { name: "right" }, "👩‍👩‍👧|b"],
  ["a\nbc|", { name: "home" }, "a\n|bc"],
  ["a|b\nc", ctrl("e"), "ab|\nc"],
  ["one two|", ctrl("w"), "one |"],
  ["one two|", meta("b"), "one |two"],
  ["|one two", meta("f"), "one| two"],
  ["|one two", meta("d"), "| two"],
  ["a\nbc|d", ctrl("u"), "a\n|d"],
  ["a|b\nc", ctrl("k"), "a|\nc"],
  ["a|b", ctrl("d"), "a|"],
  ["a|b", { name: "delete" }, "a|"],
  ["a|b", meta("return"), "a\n|b"],
  ["a|b", { name: "enter", sequence: "\n" }, "a\n|b"],
  ["a|b", { sequence: "\u001b[13;2u" }, "a\n|b"],
])("%j and %o make %j", (before, key, after) => {
  expect(show(editText(typed(before), key, undefined) ?? NOTHING_TYPED)).toBe(after);
});

test("keys that mean nothing here change nothing, and no control character gets in", () => {
  expect(editText(typed("a|"), ctrl("x"), "\u0018")).toBeNull();
  expect(editText(typed("a|"), { name: "escape" }, "\u001b")).toBeNull();
  expect(show(editText(typed("a|"), { name: "ü" }, "ü") ?? NOTHING_TYPED)).toBe("aü|");
  expect(show(insertText(typed("a|b"), "x\ny"))).toBe("ax\ny|b");
});

test("the arrows move between lines, and off the first and the last one to the history", () => {
  expect(show(moveLine(typed("abc\nd\nef|g"), -1) ?? NOTHING_TYPED)).toBe("abc\nd|\nefg");
  expect(show(moveLine(typed("ab|c\nd\nefg"), 1) ?? NOTHING_TYPED)).toBe("abc\nd|\nefg");
  expect(moveLine(typed("ab|c\nd"), -1)).toBeNull();
  expect(moveLine(typed("abc\n|d"), 1)).toBeNull();
});
