import { describe, expect, test } from "vitest";
import { costRatio, GENEROUS, growth } from "../../../test/fixtures/cost.ts";
import { createValidator } from "./validator.ts";

const check = async (schema: object, args: Record<string, unknown>) => createValidator().check("s", schema, args);

describe("schemas that point at themselves", () => {
  const tree = { type: "object", properties: { child: { $ref: "#" } }, required: ["name"] };

  test.each([
    ["the dialect of today", {}],
    ["draft 7", { $schema: "http://json-schema.org/draft-07/schema#" }],
    ["one with a name", { $id: "https://example.com/tree" }],
  ])("are checked against all levels, in %s", async (_, more) => {
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

test("each pattern of a schema is its own", async () => {
  const properties = { code: { type: "string", pattern: "^[a-z]+$" }, card: { type: "string", pattern: "^[0-9]+$" } };
  const schema = { type: "object", properties };
  expect(await check(schema, { code: "abc", card: "123" })).toBeNull();
  expect(await check(schema, { code: "abc", card: "abc" })).toBe('"card" must match pattern "^[0-9]+$"');
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

describe("getting ready for a server's schema", () => {
  const many = <T>(length: number, make: (at: number) => T): T[] => Array.from({ length }, (_, at) => make(at));
  const named = (length: number, make: (at: number) => unknown) =>
    Object.fromEntries(many(length, (at) => [`name-${at}`, make(at)]));
  const ordinary = { type: "object", properties: named(500, () => ({ type: "string" })) };
  const ready = (schema: object) => createValidator().check("s", { type: "object", ...schema }, {});
  const takeOrdinary = () => expect(ready(ordinary)).toBeNull();
  /** Each of about the weight it is asked for. */
  const shapes: readonly (readonly [string, (size: number) => object])[] = [
    ["properties", (size) => ({ properties: named(size, () => ({ type: "string" })) })],
    ["parts that all hold", (size) => ({ allOf: many(size / 2, (at) => ({ properties: { [`k${at}`]: {} } })) })],
    [
      "choices",
      (size) => ({ properties: { a: { oneOf: many(size / 10, () => ({ properties: named(9, () => ({})) })) } } }),
    ],
    [
      "references",
      (size) => ({
        $defs: named(size / 2, () => ({ type: "string" })),
        properties: named(size / 2, (at) => ({ $ref: `#/$defs/name-${at}` })),
      }),
    ],
    ["patterns for names", (size) => ({ patternProperties: named(size / 6, () => ({})), additionalProperties: false })],
    [
      "patterns with counts",
      (size) => ({ properties: named(size / 12, (at) => ({ pattern: `[\\p{L}_]{${at},1000}` })) }),
    ],
    ["names in lists", (size) => ({ dependentRequired: named(size / 20, () => many(100, (at) => `k${at}`)) })],
    [
      "the rest",
      (size) => ({ allOf: many(size / 4, (at) => ({ properties: { [`k${at}`]: {} } })), unevaluatedProperties: false }),
    ],
  ];

  test.each(shapes)("costs no more than its limit for many %s, and what is above it is refused", async (_, shape) => {
    // What compiles is there from now on, and everything below answers at once.
    await check({ type: "object" }, {});
    const [taken, refused] = [shape(1_900), shape(6_000)];
    expect(JSON.stringify(refused).length).toBeLessThan(256 * 1024);
    const take = () => expect(ready(taken)).toBeNull();
    const refuse = () => expect(ready(refused)).toContain("too large");
    expect(costRatio(take, takeOrdinary, GENEROUS)).toBeLessThan(GENEROUS);
    expect(costRatio(refuse, takeOrdinary, 2)).toBeLessThan(2);
  });

  test("a value that is not in a list is refused with what was probably meant, however long the list", async () => {
    const long = "a".repeat(1_000_000);
    const schema = { type: "object", properties: { kind: { enum: ["reviewer", 5, long] } } };
    expect(await check(schema, { kind: "reviever" })).toMatch(/ \(did you mean reviewer\?\)$/);
    expect(await check(schema, { kind: `${long}b` })).not.toContain("did you mean");
    expect(await check(schema, { kind: 6 })).not.toContain("did you mean");
  });

  test("keeps every rule of a large one", async () => {
    const schema = {
      type: "object",
      properties: { ...ordinary.properties, kind: { enum: many(100, (at) => `kind ${at}`) } },
      required: many(60, (at) => `name-${at}`),
      additionalProperties: false,
    };
    const args = named(60, () => "text");
    expect(await check(schema, { ...args, kind: "kind 99" })).toBeNull();
    expect(await check(schema, { ...args, kind: "kind 100" })).toContain('"kind" must be one of');
    expect(await check(schema, { ...args, "name-7": undefined })).toContain('"name-7"');
    expect(await check(schema, { ...args, "name-499": 5 })).toBe('"name-499" must be string');
    expect(await check(schema, { ...args, other: 1 })).toBe('has no property "other"');
    expect(
      await check({ type: "object", required: many(60, (at) => `name-${at}`), properties: ordinary.properties }, {}),
    ).toContain('the property "name-0" is missing');
  });

  test("keeps book of what was looked at where a schema asks for it", async () => {
    const schema = { type: "object", allOf: [{ properties: { a: {} } }], unevaluatedProperties: false };
    expect(await check(schema, { a: 1 })).toBeNull();
    expect(await check(schema, { a: 1, b: 2 })).toBe('has no property "b"');
  });
});
