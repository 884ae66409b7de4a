import { describe, expect, test } from "vitest";
import { schemaWeight } from "../../src/core/schema/schema-weight.ts";
import { toDefinitions } from "../../src/core/toolset/definitions.ts";
import { aMcpTool, aTool, aToolset, aWorld } from "../fixtures/builders.ts";
import { GENEROUS, growth } from "../fixtures/cost.ts";

const mcp = (inputSchema: unknown) => ({ name: "t", source: "mcp", server: "s", inputSchema });

function nested(levels: number): unknown {
  let schema: unknown = { type: "object" };
  for (let level = 0; level < levels; level++) schema = { type: "object", properties: { a: schema } };
  return schema;
}

describe("deep schemas", () => {
  test("5,000 levels hide the tool and say how deep", () => {
    const world = aWorld({ tools: [mcp(nested(5_000)), { name: "view" }] });
    expect(world.codes("s/t")).toContain("trust.schema-too-deep");
    expect(world.visible).toEqual(["view"]);
    expect(world.find("s/t").trace[0]?.reason.text).toContain("10001 levels");
  });

  test("40,000 levels built in memory neither crash nor pass", () => {
    const world = aToolset([aTool({ name: "t", source: "mcp", server: "s", inputSchema: nested(20_000) })]);
    expect(world.codes("s/t")).toContain("trust.schema-too-deep");
  });

  test("5,000 levels of arrays do the same", () => {
    let schema: unknown = [];
    for (let level = 0; level < 5_000; level++) schema = [schema];
    const world = aWorld({ tools: [mcp({ type: "object", default: schema })] });
    expect(world.codes("s/t")).toEqual(["trust.schema-too-deep"]);
  });

  test("23 levels, the deepest seen on real servers, pass", () => {
    expect(aWorld({ tools: [mcp(nested(10))] }).visible).toEqual(["s__t"]);
  });

  test("two tools whose schemas differ only at the bottom of a deep schema have different signatures", () => {
    const at = (bottom: unknown) => {
      let schema = bottom;
      for (let level = 0; level < 2_000; level++) schema = { in: schema };
      return aToolset([aTool({ name: "t", source: "mcp", server: "s", inputSchema: schema })]).catalog.hash;
    };
    expect(at(1)).not.toBe(at(2));
    expect(at({ a: 1, b: 2 })).toBe(at({ b: 2, a: 1 }));
  });
});

describe("large schemas", () => {
  test("50,000 properties hide the tool as too large", () => {
    const properties = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`p${at}`, { type: "string" }]));
    const world = aWorld({ tools: [mcp({ type: "object", properties }), { name: "view" }] });
    expect(world.codes("s/t")).toEqual(["trust.schema-too-large"]);
    expect(world.visible).toEqual(["view"]);
  });

  test("so does a description of a megabyte, and a title as long is no free ride", () => {
    const big = "x".repeat(1024 * 1024);
    const world = aToolset([aMcpTool("s/t", { description: big })]);
    expect(world.codes("s/t")).toEqual(["trust.schema-too-large"]);
  });

  test("300 properties, more than any real server has, pass", () => {
    const properties = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`p${at}`, { type: "string" }]));
    expect(aWorld({ tools: [mcp({ type: "object", properties })] }).visible).toEqual(["s__t"]);
  });
});

describe("small schemas that take long to make ready for a call", () => {
  const named = (length: number, make: (at: number) => unknown) =>
    Object.fromEntries(Array.from({ length }, (_, at) => [`p${at}`, make(at)]));
  const reasonOf = (schema: object): string | undefined =>
    aWorld({ tools: [mcp({ type: "object", ...schema })] }).find("s/t").trace[0]?.reason.text;

  test.each([
    ["properties", { properties: named(2_100, () => ({})) }],
    ["choices, also false ones", { anyOf: Array.from({ length: 2_100 }, () => false) }],
    ["properties with the name of a keyword", { properties: { enum: { properties: named(2_100, () => ({})) } } }],
    ["parts of which the rest is asked for", { allOf: Array(1_100).fill({}), unevaluatedProperties: false }],
    ["patterns for names", { patternProperties: named(400, () => ({})) }],
    ["counts in counts", { properties: named(150, (at) => ({ pattern: `(?:[a-z]{10}${at}){100}` })) }],
    ["names in lists", { required: Array.from({ length: 11_000 }, (_, at) => `p${at}`) }],
  ])("hide the tool for too many %s, and say so", (_, schema) => {
    expect(JSON.stringify(schema).length).toBeLessThan(200 * 1024);
    expect(reasonOf(schema)).toMatch(/as much to check as \d+ properties; 2000 is the limit/);
  });

  test.each([
    ["values to choose from", { properties: { a: { enum: Array.from({ length: 1_900 }, (_, at) => `v${at}`) } } }],
    [
      "examples and defaults",
      { examples: Array.from({ length: 1_500 }, () => ({})), default: named(1_500, () => ({})) },
    ],
    ["ordinary patterns", { properties: named(100, () => ({ pattern: "^[A-Za-z0-9._-]{1,64}$" })) }],
  ])("pass with many %s", (_, schema) => {
    expect(reasonOf(schema)).toBeUndefined();
  });

  test.each(["[", "\\p{", "(", "a{9}", "{1,", "\\"])("are weighed in time linear in a pattern of %j", (piece) => {
    const cost = growth(8_000, (size) => {
      const schema = { pattern: piece.repeat(size) };
      return () => schemaWeight(schema, "");
    });
    expect(cost).toBeLessThan(GENEROUS);
  });
});

describe("schemas that go in circles", () => {
  test("a $ref to the schema itself hides the tool, and one to a part of it passes", () => {
    const next = (target: string) => ({ type: "object", properties: { next: { $ref: target } }, $defs: { a: {} } });
    expect(aWorld({ tools: [mcp(next("#"))] }).codes("s/t")).toEqual(["trust.unsafe-schema"]);
    expect(aWorld({ tools: [mcp({ type: "object", $defs: { a: { $ref: "#/$defs/a" } } })] }).visible).toEqual([]);
    expect(aWorld({ tools: [mcp(next("#/$defs/a"))] }).visible).toEqual(["s__t"]);
  });

  test("an object that contains itself hides the tool", () => {
    const schema: { type: string; self?: unknown; list?: unknown } = { type: "object" };
    schema.self = schema;
    schema.list = [schema, schema];
    const world = aToolset([aTool({ name: "t", inputSchema: schema }), aTool("view")]);
    expect(world.codes("t")).toEqual(["tool.invalid-schema"]);
    expect(world.visible).toEqual(["view"]);
  });

  test("one shared part in many places is not a circle", () => {
    const shared = { type: "string" };
    const schema = { type: "object", properties: { a: shared, b: shared, c: { anyOf: [shared, shared] } } };
    expect(aToolset([aTool({ name: "t", inputSchema: schema })]).visible).toEqual(["t"]);
  });
});

describe("schemas of the wrong kind (N8)", () => {
  test.each([
    [true],
    [false],
    ["object"],
    [42],
    [[]],
    [[{ type: "object" }]],
    [{ type: "string" }],
    [{ type: ["object"] }],
    [{ type: ["object", "null"] }],
    [{ type: null }],
    [{ type: "Object" }],
    [{ type: { type: "object" } }],
  ])("%j hides the tool from any source", (inputSchema) => {
    for (const source of ["builtin", "module", "skill", "agent", "mcp", "external"]) {
      const world = aWorld({ tools: [{ name: "t", source, server: "s", inputSchema }, { name: "view" }] });
      expect(world.hidden.length).toBe(1);
      expect(world.placements.find(({ standing }) => standing === "hidden")?.trace[0]?.reason.code).toBe(
        "tool.invalid-schema",
      );
    }
  });

  test.each([[undefined], [null], [{ type: "object" }], [{ type: "object", additionalProperties: false }]])(
    "%j is valid from any source",
    (inputSchema) => {
      for (const source of ["builtin", "module", "skill", "agent", "mcp", "external"])
        expect(aWorld({ tools: [{ name: "t", source, server: "s", inputSchema }] }).hidden).toEqual([]);
    },
  );

  test("a missing type is read as object everywhere but from external tools", () => {
    const hidden = (source: string) =>
      aWorld({ tools: [{ name: "t", source, server: "s", inputSchema: { properties: {} } }] }).hidden.length;
    expect(["builtin", "module", "skill", "agent", "mcp", "external"].map(hidden)).toEqual([0, 0, 0, 0, 0, 1]);
  });

  test("a type that only the prototype has is no type", () => {
    const schema: object = Object.create({ type: "string" });
    expect(aToolset([aTool({ name: "t", inputSchema: schema })]).hidden).toEqual([]);
  });

  test("a tool without a schema is sent with an empty one", () => {
    const world = aToolset([aTool({ name: "t", inputSchema: null })]);
    expect(toDefinitions(world)).toEqual([
      { name: "t", description: "", inputSchema: { type: "object", properties: {} } },
    ]);
  });
});
