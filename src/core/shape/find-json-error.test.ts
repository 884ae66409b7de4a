import fc from "fast-check";
import { expect, test } from "vitest";
import { findJsonError } from "./find-json-error.ts";

test.each([
  ['{"a": x}', 1, 7, 'expected a value, found "x}"'],
  ['{\n  "a": 1,\n}', 3, 1, 'expected a key in double quotes, found "}"'],
  ["{'a': 1}", 1, 2, 'expected a key in double quotes or "}", found "\'a\': 1}"'],
  ["", 1, 1, "expected a value, found the end of the text"],
  [
    "[1, 2",
    1,
    6,
    'expected "," or the end of the list or object, found the end of the text; nothing closes the "[" of line 1',
  ],
  [
    '{\n  "a": {\n    "b": 1\n}\n',
    5,
    1,
    'expected "," or the end of the list or object, found the end of the text; nothing closes the "{" of line 1',
  ],
  ['{"a" 1}', 1, 6, 'expected ":" behind the key, found "1}"'],
  ["[1] 2", 1, 5, 'expected nothing behind the end of the document, found "2"'],
  ["[1}", 1, 3, 'expected "," or the end of the list or object, found "}"'],
  ["[01]", 1, 2, 'expected a value or "]", found "01]"'],
  ['["a\tb"]', 1, 2, 'expected a value or "]", found "\\"a\\tb\\"]"'],
  ["// note\n{}", 1, 1, 'expected a value, found "// note"'],
])("%j fails at line %i, column %i", (text, line, column, problem) => {
  expect(findJsonError(text)).toEqual({ line, column, text: problem });
});

test("a damaged document is found wrong where or before it was damaged", () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (json, seed) => {
      const at = seed % (json.length + 1);
      const damaged = `${json.slice(0, at)}\u0001${json.slice(at)}`;
      const { line, column } = findJsonError(damaged);
      expect(line).toBe(1);
      expect(column).toBeLessThanOrEqual(at + 1);
    }),
  );
});

test("deep and long documents are no problem", () => {
  expect(findJsonError("[".repeat(200_000)).column).toBe(200_001);
  expect(findJsonError(`["${"a".repeat(5_000_000)}", x]`).column).toBe(5_000_006);
});
