import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { costRatio, GENEROUS, growth } from "../../../test/fixtures/cost.ts";
import { dropHiddenText, dropInvisible, findHiddenText } from "./hidden-text.ts";

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
    expect(dropHiddenText(text)).toEqual({ text, dropped: 0 });
  });
});

describe("what a reader cannot see and a model can is found", () => {
  test.each([
    ["right-to-left override", "a\u202eb", "U+202E"],
    ["isolate", "a\u2066b\u2069", "U+2066"],
    ["a note without a head", "a\u{1d159}b", "U+1D159"],
    ["what is not assigned and shows nothing", "a\ufff0b", "U+FFF0"],
    ["what is no character", "a\ufdd0b", "U+FDD0"],
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
    ["Arabic mark without Arabic", "abc\u061cdef", "U+061C"],
    ["selector behind a letter", "a\ufe01b", "U+FE01"],
    ["two selectors in a row", "\u2764\ufe0f\ufe0e", "U+FE0F"],
    ["joiner at the end of an emoji", "\u{1f468}\u200d", "U+200D"],
    ["lone surrogate", "a\ud800b", "U+D800"],
    ["combining grapheme joiner", "a\u034fb", "U+034F"],
  ])("%s", (_what, text, found) => {
    expect(findHiddenText(text)).toBe(found);
    expect(findHiddenText(dropHiddenText(text).text)).toBeNull();
  });

  test("among ordinary joiners the odd one is still found", () => {
    expect(findHiddenText("\u{1f468}\u200d\u{1f469} ok \u0645\u06cc\u200c\u062e, but\u200bnot this")).toBe("U+200B");
  });
});

test("for comparing names, everything invisible is dropped", () => {
  expect(dropInvisible("v\u200bi\u202ee\u{e0061}w\u00ad\u0000\ufe0f\u2800")).toBe("view");
});

describe("taking it out", () => {
  test("leaves the rest of the text as it was, and says how much it took", () => {
    const family = "\u{1f468}\u200d\u{1f469}";
    expect(dropHiddenText(`${family} a\u200bb\u202e c\r\n\td\u{e0041}`)).toEqual({
      text: `${family} ab c\r\n\td`,
      dropped: 3,
    });
  });

  test("writes odd line breaks as line breaks, so that words stay apart", () => {
    expect(dropHiddenText("a\u2028b\u2029c\u0085d").text).toBe("a\nb\nc\nd");
  });

  const TRICKY = [
    ..."a1 \n\u0645\u0915\u0e20\u845b\u1820\u05d0\u2764\u0301",
    ..."\u200b\u200c\u200d\u200e\u200f\u061c\u202e\u2028\u2060\u2800\ufeff\ufe0e\ufe0f\u180b\u180f\u034f\u00ad\ud800",
    ...[
      "\u{1f468}",
      "\u{1f3fd}",
      "\u{1f3f4}",
      "\u{e0067}",
      "\u{e0062}",
      "\u{e0065}",
      "\u{e006e}",
      "\u{e007f}",
      "\u{e0100}",
    ],
  ];

  test("leaves nothing that would be found, whatever stands beside what (G13)", () => {
    const texts = fc.array(fc.constantFrom(...TRICKY), { maxLength: 30 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(texts, (text) => {
        const { text: rest, dropped } = dropHiddenText(text);
        expect(findHiddenText(rest)).toBeNull();
        expect(dropHiddenText(rest)).toEqual({ text: rest, dropped: 0 });
        expect(dropped === 0).toBe(findHiddenText(text) === null);
        expect(rest === text).toBe(dropped === 0);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ["joiners", "\u200d"],
    ["selectors", "\ufe0f"],
    ["emoji that are joined to nothing", "\u{1f468}\u200d"],
    ["tags behind flags", "\u{1f3f4}\u{e0067}\u{e0062}"],
    ["spaces between letters", "a\u200b"],
    ["overrides between letters", "a\u202e"],
    ["tags between letters", "a\u{e0041}"],
    ["marks between letters", "a\u200e"],
    ["separators of lines", "a\u2028"],
    ["escapes", "\u001b"],
  ])("costs linear time on %s, and not many times what reading it from JSON costs", (_, unit) => {
    const cost = growth(20_000, (size) => {
      const text = unit.repeat(size);
      return () => dropHiddenText(text);
    });
    expect(cost).toBeLessThan(GENEROUS);
    const text = unit.repeat(300_000);
    const clean = () => dropHiddenText(text).dropped;
    expect(costRatio(clean, () => JSON.parse(JSON.stringify(text)), 32)).toBeLessThan(32);
  });

  test("takes an escape along with what belongs to it, as far as it is told, and counts it once", () => {
    const escapeEnd = (_text: string, at: number) => at + 3;
    expect(dropHiddenText("a\u001b[mb\u200bc\u001b[", escapeEnd)).toEqual({ text: "abc", dropped: 3 });
  });

  test("says of flags beside what does not belong there what taking it out does", () => {
    const flag = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}";
    expect(findHiddenText(`+${flag}\ufe0f`)).toBe("U+FE0F");
    expect(findHiddenText(`\u{1f468}\u200d${flag}`)).toBeNull();
  });
});
