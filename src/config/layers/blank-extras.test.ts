import fc from "fast-check";
import { expect, test } from "vitest";
import { GENEROUS, growth } from "../../../test/fixtures/cost.ts";
import { blankComments, blankExtras } from "./blank-extras.ts";

test.each([
  ['{ "a": 1, // one\n "b": 2 }', '{ "a": 1,       \n "b": 2 }'],
  ['{ /* a\nb */ "c": 1 }', '{     \n     "c": 1 }'],
  ['{ "u": "https://a/*b*/", "q": "\\"// no" }', '{ "u": "https://a/*b*/", "q": "\\"// no" }'],
  ['{ "a": [1, 2, ], }', '{ "a": [1, 2  ]  }'],
  ['{ "a": ",]" , /* x */ }', '{ "a": ",]"           }'],
  ['{ "a": 1 } // end', '{ "a": 1 }       '],
  ['{ "a": 1 /* never closed', '{ "a": 1 /* never closed'],
  ['{ "a: 1 // in a string that is never closed\n} // c', '{ "a: 1 // in a string that is never closed\n}     '],
  ["", ""],
])("%j becomes %j", (text, expected) => {
  expect(blankExtras(text)).toBe(expected);
});

test("what JSON can say stays as it is, and nothing ever moves", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value, null, 2);
      expect(blankExtras(text)).toBe(text);
    }),
  );
  const parts = fc.constantFrom('"', "\\", "/", "*", "//", "/*", "*/", "\n", ",", "}", "]", " ", "a");
  fc.assert(
    fc.property(fc.array(parts), (found) => {
      const text = found.join("");
      const blanked = blankExtras(text);
      expect(blanked.length).toBe(text.length);
      for (const [at, letter] of [...blanked].entries()) expect([text[at], " "]).toContain(letter);
      expect(blankComments(blanked)).toBe(blanked);
    }),
  );
});

test.each(['\\"', "/* ", ", ", '"\\', "//", "/*\n"])(
  "a text made of %j alone costs no more than its length",
  (part) => {
    const cost = (length: number) => {
      const text = `"${part.repeat(length)}`;
      return () => void blankExtras(text);
    };
    expect(growth(20_000, cost)).toBeLessThan(GENEROUS);
  },
);
