import { describe, expect, test } from "vitest";
import { toType } from "../../code/schema-type.ts";
import type { JsonObject } from "../../shape/json-value.ts";
import { SCHEMA_RULES } from "../limits/schema-rules.ts";
import { shapeSchema } from "./shape-schema.ts";

/** What a server can write in a few kilobytes, and nobody could write out. */
const times = <T>(count: number, make: (at: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, at) => make(at));
const withDefinitions = (property: JsonObject, $defs: JsonObject): JsonObject => ({
  type: "object",
  properties: { start: property },
  $defs,
});
const named = (entries: readonly (readonly [string, unknown])[]): JsonObject => Object.fromEntries(entries);

const NODE = { $ref: "#/$defs/node" };
const tree = (branch: JsonObject, branches: number): JsonObject =>
  withDefinitions(branch, {
    node: { type: "object", properties: named(times(branches, (at) => [`branch${at}`, branch])) },
  });
const again = { anyOf: times(20, () => NODE) };

const HOSTILE: readonly (readonly [string, JsonObject])[] = [
  ["a tree of many branches", tree(NODE, 40)],
  ["a tree whose branches join a definition", tree({ allOf: [NODE] }, 20)],
  ["choices that are choices of themselves", { type: "object", ...again, $defs: { node: again } }],
  [
    "choices of themselves beside properties",
    tree({ type: "object", properties: { a: { type: "string" } }, anyOf: [NODE, NODE] }, 8),
  ],
  [
    "a chain of definitions, each inside the one before",
    withDefinitions(
      { $ref: "#/$defs/d0" },
      named(times(3_000, (at) => [`d${at}`, { type: "object", properties: { next: { $ref: `#/$defs/d${at + 1}` } } }])),
    ),
  ],
  [
    "a chain of references to references",
    withDefinitions({ $ref: "#/$defs/d0" }, named(times(3_900, (at) => [`d${at}`, { $ref: `#/$defs/d${at + 1}` }]))),
  ],
  [
    "a circle of references",
    withDefinitions({ allOf: [{ $ref: "#/$defs/a" }] }, { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } }),
  ],
];

describe.each(HOSTILE)("%s", (_, schema) => {
  test.each(Object.entries(SCHEMA_RULES))("is shaped for %s in bounded time and space", (_name, rules) => {
    const { schema: shaped } = shapeSchema(schema, rules);
    expect(Object.keys(shaped.properties).length).toBeLessThanOrEqual(41);
    expect(JSON.stringify(shaped).length).toBeLessThan(600_000);
  });

  test("has a type in bounded time and space", () => {
    expect(toType(schema, { documented: true }).length).toBeLessThan(600_000);
  });
});

test("a definition that is joined inside itself ends where it begins again", () => {
  const { schema } = shapeSchema(tree({ allOf: [NODE], description: "The start" }, 1), SCHEMA_RULES.gemini);
  expect(schema.properties).toEqual({
    start: {
      type: "object",
      description: "The start",
      properties: { branch0: { type: "object", description: "The start (the same again)" } },
    },
  });
});

test("an anchor is not taken for the whole schema", () => {
  const schema = { type: "object", properties: { a: { $ref: "#meta", description: "Anything" } } };
  expect(shapeSchema(schema, SCHEMA_RULES.gemini).schema.properties).toEqual({
    a: { type: "string", description: "Anything" },
  });
});
