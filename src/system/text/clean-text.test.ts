import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyCharacter } from "../../../test/fixtures/any-character.ts";
import { GENEROUS, growth } from "../../../test/fixtures/cost.ts";
import { cleanOutput, dropControls, dropHiddenParts, dropTerminalSequences } from "./clean-text.ts";

describe("terminal sequences go", () => {
  test.each([
    ["colours", "\u001b[31mred\u001b[0m", "red"],
    ["cursor moves", "a\u001b[2J\u001b[1;1Hb", "ab"],
    ["titles", "\u001b]0;evil\u0007text", "text"],
    ["links", "\u001b]8;;https://x.example\u001b\\link\u001b]8;;\u001b\\", "link"],
    ["device strings", "\u001bP1$r0m\u001b\\x", "x"],
    ["8-bit forms", "\u009b31mred\u009d0;t\u009cend", "redend"],
    ["charset switches", "\u001b(Bx\u001b=y", "xy"],
    ["a sequence that the end cuts", "x\u001b[31", "x"],
  ])("%s", (_, text, expected) => {
    expect(dropTerminalSequences(text)).toBe(expected);
  });

  test("a title without its end takes no more than its line", () => {
    expect(dropTerminalSequences("\u001b]0;title\nnext")).toBe("\nnext");
  });
});

describe("output of a program", () => {
  test("shows the last state of a progress bar", () => {
    expect(cleanOutput("get 10%\rget 50%\rget 100%\r\ndone\n")).toBe("get 100%\ndone\n");
  });

  test("loses what backspaces erased", () => {
    expect(cleanOutput("abc\b\bd")).toBe("ad");
  });

  test("keeps tabs, line feeds, and letters of every script", () => {
    const text = "a\tb\nनमस्ते 👩‍👩‍👧 שלום ไทย\n";
    expect(cleanOutput(text)).toBe(text);
  });

  test("holds no NUL, direction override or tag", () => {
    expect(cleanOutput("a\0b\u202ec\u{e0041}d\ufeff")).toBe("abcd");
  });

  test("never holds a control character, whatever came", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must be gone.
        expect(cleanOutput(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/u);
      }),
    );
  });

  test.each(["\u001b]0;", "\u001b["])("of nothing but %j is cleaned in linear time", (sequence) => {
    expect(growth(50_000, (times) => () => cleanOutput(sequence.repeat(times)))).toBeLessThan(GENEROUS);
  });
});

test("carriage returns alone become line feeds where lines are not overwritten", () => {
  expect(dropControls("a\r\nb\rc")).toBe("a\nb\nc");
});

describe("what a stranger's program says", () => {
  test.each([
    ["colours", "\u001b[31mred\u001b[0m", "red", 2],
    ["titles", "\u001b]0;evil\u0007text", "text", 1],
    ["a title without its end", "\u001b]0;evil\nnext", "\nnext", 1],
    ["overrides", "a\u202eb\u202c", "ab", 2],
    ["text in tags", "ok\u{e0069}\u{e0067}", "ok", 2],
    ["zero-width spaces", "ig\u200bnore", "ignore", 1],
    ["hidden characters inside a sequence", "\u001b\u200b[31mred", "[31mred", 2],
  ])("loses %s", (_, text, expected, dropped) => {
    expect(dropHiddenParts(text)).toEqual({ text: expected, dropped });
  });

  test("keeps the words of text in a wrong encoding, which 8-bit sequences would swallow", () => {
    expect(dropHiddenParts("\u00e2\u0080\u009dquoted\u00e2\u0080\u009d, and more").text).toBe(
      "\u00e2quoted\u00e2, and more",
    );
  });

  test("is the same string where there is nothing to take out", () => {
    const text = "a\tb\r\nनमस्ते 👩‍👩‍👧 שלום ไทย\r10%\rdone\n";
    expect(dropHiddenParts(text)).toEqual({ text, dropped: 0 });
  });

  test("costs linear time, however many sequences begin", () => {
    const cost = growth(20_000, (size) => {
      const text = "\u001b]\u001b[".repeat(size);
      return () => dropHiddenParts(text);
    });
    expect(cost).toBeLessThan(GENEROUS);
  });
});
