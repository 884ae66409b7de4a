import fc from "fast-check";
import { expect, test } from "vitest";
import { GENEROUS, growth } from "../../../../test/fixtures/cost.ts";
import { toShown } from "./shown-value.ts";

const LIMITS = { characters: 200, values: 20 };

test("a small value is shown as it is", () => {
  const value = { a: [1, "two", null, true], b: { c: "d" } };
  expect(toShown(value, LIMITS)).toEqual(value);
});

test("what is left out is marked", () => {
  expect(toShown("x".repeat(300), LIMITS)).toBe(`${"x".repeat(200)}… (cut)`);
  expect(
    toShown(
      Array.from({ length: 50 }, () => 1),
      LIMITS,
    ),
  ).toEqual([...Array.from({ length: 19 }, () => 1), "… (cut)"]);
  expect(
    Object.keys(toShown(Object.fromEntries(Array.from({ length: 50 }, (_, at) => [at, 1])), LIMITS) ?? {}),
  ).toContain("… (cut)");
});

test("nothing in it is invisible, names included, and no name reaches a prototype", () => {
  const shown = toShown(JSON.parse('{"a\\u202eb": "\\u0007", "__proto__": {"polluted": true}}'), LIMITS);
  expect(JSON.stringify(shown)).toBe('{"a\\\\u{202e}b":"\\\\u{7}","__proto__":{"polluted":true}}');
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

test("whatever comes, the copy is small, plain and can be written as JSON", () => {
  fc.assert(
    fc.property(fc.anything({ maxDepth: 4, withBigInt: true, withNullPrototype: true }), (value) => {
      const text = JSON.stringify(toShown(value, LIMITS)) ?? "";
      expect(text.length).toBeLessThan(10_000);
      expect(text).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
    }),
  );
});

test("a huge value costs no more than a large one", () => {
  const prepare = (size: number) => {
    const value = Array.from({ length: size }, () => ({ text: "x".repeat(100) }));
    return () => toShown(value, LIMITS);
  };
  expect(growth(10_000, prepare)).toBeLessThan(GENEROUS);
});
