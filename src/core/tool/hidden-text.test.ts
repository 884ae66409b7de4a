import { describe, expect, test } from "vitest";
import { dropInvisible, findHiddenText } from "./hidden-text.ts";

describe("ordinary text of the world is left alone (G13)", () => {
  test.each([
    ["plain", "Reads a file.\n\tThen\r\nreturns it."],
    ["family emoji", "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}"],
    ["profession with skin tone", "\u{1f469}\u{1f3fd}\u200d\u{1f4bb}"],
    ["rainbow flag", "\u{1f3f3}\ufe0f\u200d\u{1f308}"],
    ["pirate flag", "\u{1f3f4}\u200d\u2620\ufe0f"],
    ["country flag", "\u{1f1e9}\u{1f1ea}"],
    ["flag of Scotland", "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}"],
    ["keycap", "1\ufe0f\u20e3"],
    ["heart", "\u2764\ufe0f"],
    ["text style", "\u260e\ufe0e"],
    ["runner", "\u{1f3c3}\u{1f3fd}\u200d\u2642\ufe0f"],
    ["Persian", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"],
    ["Hindi", "\u0915\u094d\u200d\u0937"],
    ["Bengali", "\u09b0\u200d\u09cd\u09af"],
    ["Malayalam", "\u0d28\u0d4d\u200d"],
    ["Sinhala", "\u0dc1\u0dca\u200d\u0dbb\u0dd3"],
    ["Thai", "\u0e20\u0e32\u0e29\u0e32\u200b\u0e44\u0e17\u0e22"],
    ["Khmer", "\u1797\u17b6\u179f\u17b6\u200b\u1781\u17d2\u1798\u17c2\u179a"],
    ["Hebrew with marks", "\u05e9\u05dc\u05d5\u05dd\u200f (abc)\u200e"],
    ["Japanese variant", "\u845b\u{e0100}\u98fe\u533a"],
    ["accents", "na\u00efve cafe\u0301"],
    ["no-break space", "10\u00a0000"],
    ["a character that could not be decoded", "caf\ufffd"],
  ])("%s", (_what, text) => {
    expect(findHiddenText(text)).toBeNull();
  });
});

describe("what a reader cannot see and a model can is found", () => {
  test.each([
    ["right-to-left override", "a\u202eb", "U+202E"],
    ["isolate", "a\u2066b\u2069", "U+2066"],
    ["zero-width space between words", "ignore\u200bprevious", "U+200B"],
    ["zero-width joiner in Latin text", "ig\u200dnore", "U+200D"],
    ["zero-width non-joiner in Latin text", "ig\u200cnore", "U+200C"],
    ["word joiner", "a\u2060b", "U+2060"],
    ["byte order mark", "\ufeffa", "U+FEFF"],
    ["soft hyphen", "ig\u00adnore", "U+00AD"],
    ["tag letters", `hello${"\u{e0069}\u{e0067}"}`, "U+E0069"],
    ["a flag that carries more than a flag", "\u{1f3f4}\u{e0067}\u{e0062}\u{e0068}\u{e0069}\u{e007f}", "U+E0067"],
    ["escape", "a\u001b[31mb", "U+001B"],
    ["null", "a\u0000", "U+0000"],
    ["delete", "a\u007f", "U+007F"],
    ["C1 control", "a\u009bb", "U+009B"],
    ["line separator", "a\u2028b", "U+2028"],
    ["Hangul filler", "a\u3164b", "U+3164"],
    ["braille blank", "a\u2800b", "U+2800"],
    ["direction mark in left-to-right text", "abc\u200fdef", "U+200F"],
    ["selector behind a letter", "a\ufe01b", "U+FE01"],
    ["two selectors in a row", "\u2764\ufe0f\ufe0e", "U+FE0F"],
    ["joiner at the end of an emoji", "\u{1f468}\u200d", "U+200D"],
    ["lone surrogate", "a\ud800b", "U+D800"],
    ["combining grapheme joiner", "a\u034fb", "U+034F"],
  ])("%s", (_what, text, found) => {
    expect(findHiddenText(text)).toBe(found);
  });

  test("among ordinary joiners the odd one is still found", () => {
    expect(findHiddenText("\u{1f468}\u200d\u{1f469} ok \u0645\u06cc\u200c\u062e, but\u200bnot this")).toBe("U+200B");
  });
});

test("for comparing names, everything invisible is dropped", () => {
  expect(dropInvisible("v\u200bi\u202ee\u{e0061}w\u00ad\u0000\ufe0f\u2800")).toBe("view");
});
