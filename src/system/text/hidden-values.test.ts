import fc from "fast-check";
import { expect, test } from "vitest";
import { createHiddenValues, HIDDEN } from "./hidden-values.ts";

function hiding(...values: string[]) {
  const hidden = createHiddenValues();
  hidden.add(values);
  return hidden;
}

test.each([
  ["a long value inside a word", "xhunter22y", `x${HIDDEN}y`],
  ["a short one alone", "port 8443, not 84431", `port ${HIDDEN}, not 84431`],
  ["one that holds another as a whole", "hunter22-and-more", HIDDEN],
  ["one in an address", "?key=hunter%2F22%2F%26", `?key=${HIDDEN}`],
  ["one in base64", Buffer.from("hunter22").toString("base64"), HIDDEN.concat("=")],
  ["one in JSON in JSON", JSON.stringify(JSON.stringify({ k: "two\nlines22" })), `"{\\"k\\":\\"${HIDDEN}\\"}"`],
  ["a line of several", "2. second line of a key", `2. ${HIDDEN}`],
])("hides %s", (_what, text, shown) => {
  const values = ["hunter22", "8443", "hunter22-and-more", "hunter/22/&", "two\nlines22"];
  expect(hiding(...values, "first line of a key\nsecond line of a key").text(text)).toBe(shown);
});

test("says how many values are too short, and leaves those", () => {
  const hidden = createHiddenValues();
  expect(hidden.add(["on", "", "443"])).toBe(2);
  expect([hidden.isEmpty, hidden.text("on port 443")]).toEqual([true, "on port 443"]);
});

test("refuses more values than it can look for, and keeps those it has", () => {
  const hidden = hiding("hunter22");
  expect(() => hidden.add(["x".repeat(2_000_000)])).toThrow("were not added");
  expect(hidden.text("hunter22")).toBe(HIDDEN);
});

test("goes through data, keys and numbers included, and leaves what is no data", () => {
  const signal = new AbortController().signal;
  const given = { hunter22: ["hunter22", 12345678, 1, null, true], signal };
  expect(hiding("hunter22", "12345678").data(given)).toEqual({ [HIDDEN]: [HIDDEN, HIDDEN, 1, null, true], signal });
});

test("a text in pieces shows what the whole text shows, and never a part of a value more", () => {
  const values = ["hunter22", "hunter22-and-more", "aaaaaaaa", "ab\ncd\nefghijkl"];
  const word = fc.constantFrom(...values, "hunter2", "hunt", "aaaa", "er22", "-and", " ", "x", "ab\n");
  fc.assert(
    fc.property(fc.array(word, { maxLength: 8 }), fc.array(fc.nat(9), { minLength: 1 }), (words, sizes) => {
      const hidden = hiding(...values);
      const text = words.join("");
      const pieces = hidden.pieces();
      let shown = "";
      for (let at = 0, turn = 0; at < text.length; turn += 1) {
        const size = 1 + (sizes[turn % sizes.length] ?? 0);
        shown += pieces.push(text.slice(at, at + size));
        at += size;
      }
      expect(shown + pieces.end()).toBe(hidden.text(text));
    }),
    { numRuns: 300 },
  );
});
