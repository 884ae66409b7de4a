import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyCharacter } from "../../../test/fixtures/any-character.ts";
import { createOutputBuffer } from "./output-buffer.ts";

describe("an output buffer", () => {
  test("gives back what fits, once", () => {
    const buffer = createOutputBuffer({ head: 4, tail: 8 });
    expect(buffer.isEmpty).toBe(true);
    buffer.push(Buffer.from("hello "));
    buffer.push(Buffer.from("world"));
    expect(buffer.take()).toEqual({ text: "hello world", leftOut: 0 });
    expect(buffer.take()).toEqual({ text: "", leftOut: 0 });
    expect(buffer.isEmpty).toBe(true);
  });

  test("keeps the beginning and the end, and says how much is missing between", () => {
    const buffer = createOutputBuffer({ head: 3, tail: 4 });
    for (const character of "abcdefghijklmnop") buffer.push(Buffer.from(character));
    expect(buffer.take()).toEqual({ text: "abc\n[9 bytes left out]\nmnop", leftOut: 9 });
  });

  test("keeps only the end where no beginning is asked for", () => {
    const buffer = createOutputBuffer({ head: 0, tail: 4 });
    buffer.push(Buffer.from("abcdefgh"));
    expect(buffer.take().text).toBe("[4 bytes left out]\nefgh");
  });

  test("keeps only the beginning where no end is asked for", () => {
    const buffer = createOutputBuffer({ head: 4, tail: 0 });
    buffer.push(Buffer.from("abcdefgh"));
    expect(buffer.take().text).toBe("abcd\n[4 bytes left out]");
  });

  test("never shows half a character at the cut", () => {
    const buffer = createOutputBuffer({ head: 5, tail: 5 });
    buffer.push(Buffer.from("ab€€€€€€yz"));
    const { text, leftOut } = buffer.take(true);
    expect(text).toBe("ab€\n[12 bytes left out]\n€yz");
    expect(leftOut).toBe(12);
  });

  test("waits for the rest of a character, and gives up on it at the end", () => {
    const buffer = createOutputBuffer({ head: 10, tail: 10 });
    const euro = Buffer.from("€");
    buffer.push(Buffer.concat([Buffer.from("a"), euro.subarray(0, 2)]));
    expect(buffer.take().text).toBe("a");
    buffer.push(euro.subarray(2));
    expect(buffer.take().text).toBe("€");
    buffer.push(euro.subarray(0, 2));
    expect(buffer.take(true).text).toBe("\ufffd");
  });

  test("text that fits comes out as it went in, however it was cut and read", () => {
    const texts = fc.array(fc.string({ unit: anyCharacter }), { maxLength: 20 });
    fc.assert(
      fc.property(texts, fc.array(fc.nat(7)), (parts, cuts) => {
        const all = wellFormed(parts.join(""));
        const buffer = createOutputBuffer({ head: 16, tail: 1_000_000 });
        let read = "";
        let rest = Buffer.from(all);
        for (const cut of cuts) {
          buffer.push(rest.subarray(0, cut));
          rest = rest.subarray(cut);
          if (cut % 2 === 0) read += buffer.take().text;
        }
        buffer.push(rest);
        return read + buffer.take(true).text === all;
      }),
    );
  });

  test("kept and missing bytes add up, and text stays well-formed under any cap", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.nat(9), fc.nat(9), (raw, head, tail) => {
        const text = wellFormed(raw);
        const buffer = createOutputBuffer({ head, tail });
        for (const byte of Buffer.from(text)) buffer.push(Uint8Array.of(byte));
        const taken = buffer.take(true);
        const kept = taken.text.replace(/\n?\[\d+ bytes left out\]\n?/, "");
        expect(Buffer.byteLength(kept) + taken.leftOut).toBe(Buffer.byteLength(text));
        if (!text.includes("\ufffd")) expect(taken.text).not.toContain("\ufffd");
      }),
    );
  });

  test("bytes that are no text do not break it", () => {
    const buffer = createOutputBuffer({ head: 100, tail: 100 });
    buffer.push(Uint8Array.of(0x00, 0xff, 0xfe, 0x80, 0x80, 0x80, 0x80, 0x41));
    expect(buffer.take(true).text).toBe("\0\ufffd\ufffd\ufffd\ufffd\ufffd\ufffdA");
  });
});

function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}
