import { describe, expect, test } from "vitest";
import { GENEROUS, growth } from "../../../test/fixtures/cost.ts";
import { createValidator } from "./validator.ts";

const check = async (schema: object, args: Record<string, unknown>) => createValidator().check("s", schema, args);

describe("schemas that point at themselves", () => {
  const tree = { type: "object", properties: { child: { $ref: "#" } }, required: ["name"] };

  test.each([
    ["the dialect of today", {}],
    ["draft 7", { $schema: "http://json-schema.org/draft-07/schema#" }],
    ["one with a name", { $id: "https://example.com/tree" }],
  ])("are held against all levels, in %s", async (_, more) => {
    expect(await check({ ...tree, ...more }, { name: "a", child: { name: "b" } })).toBeNull();
    expect(await check({ ...tree, ...more }, { name: "a", child: {} })).toBe(
      '"child" : the property "name" is missing',
    );
  });

  test("say so when they go round for ever, or arguments are deeper than can be followed", async () => {
    const round = { type: "object", $defs: { a: { allOf: [{ $ref: "#/$defs/a" }] } }, $ref: "#/$defs/a" };
    expect(await check(round, {})).toContain("takes too long");
    let deep: Record<string, unknown> = { name: "last" };
    for (let level = 0; level < 100_000; level++) deep = { name: "one", child: deep };
    expect(await check(tree, deep)).toContain("takes too long");
  });
});

describe("what a server may make of checking", () => {
  test("references that multiply end, and the next call is checked as ever", async () => {
    const $defs: Record<string, object> = { d20: { type: "string" } };
    for (let at = 0; at < 20; at++) {
      const next = { $ref: `#/$defs/d${at + 1}` };
      $defs[`d${at}`] = { anyOf: [next, next] };
    }
    const schema = { type: "object", $defs, properties: { slow: { $ref: "#/$defs/d0" }, quick: { type: "string" } } };
    const validator = createValidator();
    expect(await validator.check("s", schema, { slow: 5 })).toContain("takes too long");
    expect(await validator.check("s", schema, { quick: "yes" })).toBeNull();
    expect(await validator.check("s", schema, { quick: 5 })).toBe('"quick" must be string');
  });

  test("many references in many items are ordinary", async () => {
    const schema = {
      $defs: { point: { type: "object", properties: { x: { $ref: "#/$defs/size" } } }, size: { type: "number" } },
      type: "object",
      properties: { points: { type: "array", items: { $ref: "#/$defs/point" } } },
    };
    const points = Array.from({ length: 20_000 }, (_, x) => ({ x }));
    expect(await check(schema, { points })).toBeNull();
    expect(await check(schema, { points: [...points, { x: "no" }] })).toBe('"points.20000.x" must be number');
  });

  test("items that have to differ cost no more than their number, and are told apart as JSON tells them", async () => {
    const schema = { type: "object", properties: { all: { type: "array", uniqueItems: true } } };
    expect(await check(schema, { all: [1, "1", { a: 1, b: 2 }, [1], null, { a: 1 }] })).toBeNull();
    expect(
      await check(schema, {
        all: [
          { a: 1, b: [2] },
          { b: [2], a: 1 },
        ],
      }),
    ).toContain("must not have the same item");
    expect(await check({ type: "object", properties: { all: { uniqueItems: false } } }, { all: [1, 1] })).toBeNull();
    const validator = createValidator();
    await validator.check("s", schema, {});
    const cost = growth(4_000, (size) => {
      const all = Array.from({ length: size }, (_, at) => ({ at }));
      return () => validator.check("s", schema, { all });
    });
    expect(cost).toBeLessThan(GENEROUS);
  });
});
