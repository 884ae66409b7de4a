import fc from "fast-check";
import { expect, test } from "vitest";
import { toJsonText, writtenJson, writtenList } from "./json-text.ts";

const member = fc.oneof(fc.jsonValue(), fc.constant(undefined));

test("what was written before stands where its value would, and all else is as JSON writes it", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), member), fc.infiniteStream(fc.boolean()), (object, kept) => {
      const given = Object.entries(object).map(([key, value]) => {
        const isKept = kept.next().value && value !== undefined;
        return [key, isKept ? writtenJson(JSON.stringify(value)) : value];
      });
      expect(toJsonText(Object.fromEntries(given))).toBe(JSON.stringify(object));
    }),
  );
});

test("a list of texts is the list of what they say", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), (items) => {
      const list = writtenList(items.map((item) => JSON.stringify(item)));
      expect(toJsonText({ list })).toBe(JSON.stringify({ list: items }));
    }),
  );
});
