import { expect, test } from "vitest";
import { cleanData } from "./clean-data.ts";
import { MOST_LEVELS } from "./json-depth.ts";

const HIDDEN = "a\u200bb\u{e0041}\u202ec";

test("texts and names of fields are as a person would see them, at every level", () => {
  const { value, dropped } = cleanData({ [HIDDEN]: [1, null, { deep: [HIDDEN, "fine"] }], text: HIDDEN });
  expect(value).toEqual({ abc: [1, null, { deep: ["abc", "fine"] }], text: "abc" });
  expect(dropped).toBe(9);
  expect(cleanData(HIDDEN)).toEqual({ value: "abc", dropped: 3 });
});

test("what holds nothing hidden is the very same", () => {
  const fine = { text: "👩‍👩‍👧", list: [{}, 1] };
  const mixed = { fine, other: HIDDEN };
  expect(cleanData(fine)).toEqual({ value: fine, dropped: 0 });
  expect(cleanData(fine).value).toBe(fine);
  expect(Reflect.get(Object(cleanData(mixed).value), "fine")).toBe(fine);
});

test("what is too deep to look at is left out", () => {
  let deep: unknown = HIDDEN;
  for (let level = 0; level <= MOST_LEVELS; level++) deep = [deep];
  const { value, dropped } = cleanData(deep);
  expect(JSON.stringify(value)).not.toMatch(/[^[\]nul]/);
  expect(dropped).toBe(1);
});

test("a field called like a prototype stays a field", () => {
  const { value } = cleanData(JSON.parse('{"__proto__": {"x\\u200b": 1}}'));
  expect(JSON.stringify(value)).toBe('{"__proto__":{"x":1}}');
});
