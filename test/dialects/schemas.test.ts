import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../src/core/dialects/limits/limits.ts";
import { SCHEMA_RULES } from "../../src/core/dialects/limits/schema-rules.ts";
import { restoreArguments } from "../../src/core/dialects/tools/restore.ts";
import { shapeSchema } from "../../src/core/dialects/tools/shape-schema.ts";
import { anthropicStrict, openaiStrict, PROVIDER_RULES } from "./provider-rules.ts";
import { loadRealTools } from "./real-catalogs.ts";
import { SCHEMA_FIXTURES } from "./schema-fixtures.ts";

const NAMES = Object.keys(PROVIDER_RULES) as (keyof typeof PROVIDER_RULES)[]; // The keys of a literal.
const real = loadRealTools();

/** Schemas of every odd kind that servers publish, also wrong ones. */
const anySchema = fc.letrec<{ node: unknown; object: Record<string, unknown> }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 2, depthSize: "xsmall" },
    fc.constantFrom(
      {},
      true,
      false,
      { type: "string", format: "email", minLength: 1, pattern: "^a+$" },
      { type: "integer", minimum: 1, exclusiveMinimum: true, default: 3 },
      { type: ["string", "null"], enum: ["a", "", null] },
      { type: "integer", enum: [1, 2, 2] },
      { const: 5 },
      { const: "x", nullable: true },
      { type: "array" },
      { type: "array", items: [{ type: "string" }, { type: "number" }] },
      { $ref: "#/$defs/node" },
      { $ref: "#/definitions/old" },
      { $ref: "#/properties/a" },
      { $ref: "https://example.com/else.json" },
      { type: "object", additionalProperties: { type: "string" } },
      { type: "string", nullable: true, enum: ["on", "off"] },
      { type: "any", required: true, minLength: "2", pattern: "(" },
    ),
    fc.array(tie("node"), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf, description: "a choice" })),
    fc.array(tie("node"), { minLength: 1, maxLength: 2 }).map((oneOf) => ({ oneOf })),
    fc.array(tie("object"), { minLength: 1, maxLength: 2 }).map((allOf) => ({ type: "object", allOf })),
    tie("node").map((items) => ({ type: "array", items, maxItems: 3 })),
    tie("object"),
  ),
  object: fc
    .record({
      properties: fc.dictionary(
        fc.constantFrom("a", "b", "$filter", "9lives", "user.name", "x".repeat(70), "__proto__"),
        tie("node"),
        {
          maxKeys: 3,
        },
      ),
      required: fc.subarray(["a", "b", "$filter", "gone"]),
      additionalProperties: fc.constantFrom(undefined, true, false),
      anyOf: fc.option(fc.array(tie("object"), { minLength: 1, maxLength: 2 }), { nil: undefined, freq: 6 }),
    })
    .map((schema) => ({ type: "object", ...schema })),
}));

const anyRoot = fc
  .record({ root: anySchema.object, node: anySchema.node, old: anySchema.node })
  .map(({ root, node, old }) => JSON.parse(JSON.stringify({ ...root, $defs: { node }, definitions: { old } })));

function problemsOf(name: keyof typeof PROVIDER_RULES, written: unknown): readonly string[] {
  const { schema } = shapeSchema(written, LIMITS[name].schema);
  return PROVIDER_RULES[name].schema.flatMap((check) => check(schema));
}

// Every schema of the real catalogs is held to the same rules in the payloads that it is sent with.
describe.each(NAMES)("what %s takes", (name) => {
  test("any schema becomes one that it documents to take", () => {
    fc.assert(
      fc.property(anyRoot, (written) => {
        expect(problemsOf(name, written)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  test.each(Object.keys(SCHEMA_FIXTURES))("so does a schema with %s", (construct) => {
    expect(problemsOf(name, SCHEMA_FIXTURES[construct])).toEqual([]);
  });
});

describe("strict mode", () => {
  test.each([
    ["openai", SCHEMA_RULES.openaiStrict, openaiStrict],
    ["anthropic", SCHEMA_RULES.anthropicStrict, anthropicStrict],
  ] as const)("of %s: a schema that fits is in the subset", (_, rules, check) => {
    fc.assert(
      fc.property(anyRoot, (written) => {
        const { schema, fits } = shapeSchema(written, rules);
        if (fits) expect(check(schema)).toEqual([]);
      }),
      { numRuns: 100 },
    );
    for (const [construct, written] of Object.entries(SCHEMA_FIXTURES)) {
      const { schema, fits } = shapeSchema(written, rules);
      if (fits) expect({ construct, problems: check(schema) }).toEqual({ construct, problems: [] });
    }
    const fitting = real.map((tool) => shapeSchema(tool.inputSchema, rules)).filter(({ fits }) => fits);
    expect(fitting.flatMap(({ schema }) => check(schema))).toEqual([]);
    if (real.length > 0) expect(fitting.length).toBeGreaterThan(2_000);
  });
});

describe("arguments find their way back", () => {
  const written = {
    type: "object",
    properties: {
      $filter: { type: "string" },
      level: { type: "integer", enum: [1, 2] },
      note: { type: "string" },
      rows: { type: "array", items: { type: "object", properties: { "user id": { type: "string" } } } },
    },
    required: ["$filter"],
  };

  test("renamed properties and values that were sent as text, at any depth", () => {
    const { schema, restore } = shapeSchema(written, SCHEMA_RULES.gemini);
    const [filter = "", , , rows = ""] = Object.keys(schema.properties);
    expect(filter).toMatch(/^__filter_[0-9a-f]{8}$/);
    expect(schema.required).toEqual([filter]);
    expect(schema.properties[filter]).toMatchObject({ description: '(named "$filter")' });
    const inner = Object.keys((schema.properties[rows] as { items: { properties: object } }).items.properties)[0] ?? "";
    expect(restore).not.toBeNull();
    if (restore === null) return;
    const args = { [filter]: "x eq 1", level: "2", rows: [{ [inner]: "7" }], extra: { [filter]: 1 } };
    expect(restoreArguments(args, restore)).toEqual({
      $filter: "x eq 1",
      level: 2,
      rows: [{ "user id": "7" }],
      extra: { [filter]: 1 },
    });
  });

  test("null for an optional property is absent again, null that was allowed stays", () => {
    const { schema, restore } = shapeSchema(
      { type: "object", properties: { a: { type: "string" }, b: { type: ["string", "null"] } } },
      SCHEMA_RULES.openaiStrict,
    );
    expect(schema.required).toEqual(["a", "b"]);
    expect(restore === null ? null : restoreArguments({ a: null, b: null }, restore)).toEqual({ b: null });
  });

  test("most schemas need nothing undone", () => {
    expect(shapeSchema(written, SCHEMA_RULES.openai).restore).toBeNull();
  });
});

describe("what cannot be said is told", () => {
  test("a root of alternatives becomes one object, and the groups are named", () => {
    const { schema, note } = shapeSchema(
      {
        type: "object",
        properties: { mode: { type: "string" } },
        required: ["mode"],
        oneOf: [
          { properties: { id: { type: "string" } }, required: ["id"] },
          { properties: { name: { type: "string" }, team: { type: "string" } }, required: ["name", "team"] },
        ],
      },
      SCHEMA_RULES.anthropic,
    );
    expect(schema).toEqual({
      type: "object",
      properties: {
        mode: { type: "string" },
        id: { type: "string" },
        name: { type: "string" },
        team: { type: "string" },
      },
      required: ["mode"],
    });
    expect(note).toBe("Give one of these groups of parameters: id; or name, team.");
  });

  test("bounds that a provider does not take stand in the description", () => {
    const { schema } = shapeSchema(
      { type: "object", properties: { q: { type: "string", description: "Words", maxLength: 9, pattern: "^a" } } },
      SCHEMA_RULES.gemini,
    );
    expect(schema.properties.q).toEqual({ type: "string", description: 'Words (maxLength: 9, pattern: "^a")' });
  });

  test("definitions are inlined where references are not taken, and a recursive one ends", () => {
    const tree = {
      type: "object",
      properties: { root: { $ref: "#/$defs/node" } },
      $defs: {
        node: {
          type: "object",
          properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/node" } } },
        },
      },
    };
    expect(JSON.stringify(shapeSchema(tree, SCHEMA_RULES.gemini).schema)).not.toContain("$ref");
    expect(shapeSchema(tree, SCHEMA_RULES.anthropic).schema.$defs).toHaveProperty("node");
  });

  test("a definition that is used everywhere does not explode", () => {
    const $defs: Record<string, unknown> = { d0: { type: "string" } };
    for (let at = 1; at < 30; at += 1)
      $defs[`d${at}`] = {
        type: "object",
        properties: { a: { $ref: `#/$defs/d${at - 1}` }, b: { $ref: `#/$defs/d${at - 1}` } },
      };
    const { schema } = shapeSchema(
      { type: "object", properties: { x: { $ref: "#/$defs/d29" } }, $defs },
      SCHEMA_RULES.gemini,
    );
    expect(JSON.stringify(schema).length).toBeLessThan(1_000_000);
  });
});

test("values that the tool's own schema takes are taken by the shaped one too", () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const written = {
    type: "object",
    properties: {
      a: { oneOf: [{ type: "string" }, { type: "number" }] },
      b: { allOf: [{ type: "object", properties: { c: { const: 1 } } }] },
    },
  };
  for (const rules of [SCHEMA_RULES.anthropic, SCHEMA_RULES.openai, SCHEMA_RULES.open])
    expect(ajv.validate(shapeSchema(written, rules).schema, { a: "x", b: { c: 1 } })).toBe(true);
});
