/** One schema for each construct that servers publish, so that every rule is tried also where no real catalog is. */
export const SCHEMA_FIXTURES: Readonly<Record<string, unknown>> = {
  "no schema": null,
  "no properties": { type: "object" },
  "no type": { properties: { a: { type: "string" } } },
  "empty schemas": { type: "object", properties: { anything: {}, yes: true, no: false } },
  "title, default, examples, $schema and $id": {
    $schema: "http://json-schema.org/draft-07/schema#",
    $id: "https://example.com/tool.json",
    title: "A tool",
    type: "object",
    properties: { a: { type: "string", title: "A", default: "x", examples: ["y"], deprecated: true } },
  },
  "scalars with bounds": {
    type: "object",
    properties: {
      text: { type: "string", minLength: 1, maxLength: 9, pattern: "^[a-z]+$", format: "email" },
      whole: { type: "integer", minimum: 1, maximum: 9, multipleOf: 2 },
      real: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 },
      flag: { type: "boolean" },
      nothing: { type: "null" },
      date: { type: "string", format: "date-time" },
      file: { type: "string", contentEncoding: "base64", contentMediaType: "image/png" },
    },
    required: ["text"],
  },
  "old bounds": { type: "object", properties: { n: { type: "number", minimum: 0, exclusiveMinimum: true } } },
  "choices of all kinds": {
    type: "object",
    properties: {
      text: { type: "string", enum: ["a", "b"] },
      empty: { type: "string", enum: ["", "a"] },
      whole: { type: "integer", enum: [1, 2, 3] },
      mixed: { enum: ["a", 1, null, true] },
      twice: { type: "string", enum: ["a", "a"] },
      one: { const: "only" },
      number: { const: 5 },
      map: { const: { deep: true } },
    },
  },
  "type lists and nullable": {
    type: "object",
    properties: {
      maybe: { type: ["string", "null"] },
      either: { type: ["string", "integer"], description: "Name or number" },
      old: { type: "string", nullable: true },
      chosen: { type: ["string", "null"], enum: ["on", "off", null] },
    },
  },
  arrays: {
    type: "object",
    properties: {
      bare: { type: "array" },
      texts: { type: "array", items: { type: "string" }, minItems: 2, maxItems: 9, uniqueItems: true },
      tuple: { type: "array", items: [{ type: "string" }, { type: "number" }] },
      newTuple: { type: "array", prefixItems: [{ type: "string" }], items: false },
      anything: { type: "array", items: true },
      nested: { type: "array", items: { type: "array", items: { type: "object", properties: { a: {} } } } },
      held: { type: "array", contains: { type: "string" }, minContains: 1 },
    },
  },
  maps: {
    type: "object",
    properties: {
      open: { type: "object", additionalProperties: true },
      typed: { type: "object", additionalProperties: { type: "string" } },
      closed: { type: "object", properties: { a: { type: "string" } }, additionalProperties: false },
      patterns: { type: "object", patternProperties: { "^x-": { type: "string" } } },
      named: { type: "object", propertyNames: { pattern: "^[a-z]+$" }, minProperties: 1, maxProperties: 3 },
      rest: { type: "object", properties: { a: {} }, unevaluatedProperties: false },
    },
    additionalProperties: false,
  },
  "alternatives inside": {
    type: "object",
    properties: {
      any: { anyOf: [{ type: "string" }, { type: "object", properties: { id: { type: "integer" } } }] },
      one: { oneOf: [{ const: "a" }, { const: "b" }], description: "a or b" },
      all: { allOf: [{ type: "object", properties: { a: { type: "string" } } }, { required: ["a"] }] },
      not: { not: { type: "string" } },
      // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
      when: { if: { type: "string" }, then: { minLength: 1 }, else: { type: "number" } },
      nullish: { anyOf: [{ type: "string" }, { type: "null" }] },
    },
  },
  "alternatives at the root": {
    type: "object",
    properties: { id: { type: "string" }, name: { type: "string" }, mode: { type: "string" } },
    required: ["mode"],
    oneOf: [{ required: ["id"] }, { required: ["name"] }],
  },
  "objects at the root": {
    anyOf: [
      { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
      { type: "object", properties: { b: { type: "integer" } }, required: ["b"] },
    ],
  },
  "all of at the root": {
    allOf: [
      { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
      { type: "object", properties: { b: { type: "integer" } } },
    ],
  },
  "conditions at the root": {
    type: "object",
    properties: { kind: { type: "string" }, size: { type: "integer" } },
    if: { properties: { kind: { const: "big" } } },
    // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
    then: { required: ["size"] },
    dependentRequired: { size: ["kind"] },
    dependencies: { kind: ["size"] },
  },
  references: {
    type: "object",
    properties: { a: { $ref: "#/$defs/part" }, b: { $ref: "#/definitions/old" }, c: { $ref: "#/properties/a" } },
    $defs: { part: { type: "object", properties: { x: { $ref: "#/definitions/old" } } } },
    definitions: { old: { type: "string", description: "An older way" } },
  },
  recursion: {
    type: "object",
    properties: { tree: { $ref: "#/$defs/node" } },
    $defs: { node: { type: "object", properties: { children: { type: "array", items: { $ref: "#/$defs/node" } } } } },
  },
  "references that lead nowhere": {
    type: "object",
    properties: { a: { $ref: "#/$defs/gone" }, b: { $ref: "https://example.com/x.json" }, c: { $ref: "#" } },
  },
  "a reference with words beside it": {
    type: "object",
    properties: { a: { $ref: "#/$defs/p", description: "This one" } },
    $defs: { p: { type: "string" } },
  },
  "odd property names": {
    type: "object",
    properties: {
      $filter: { type: "string" },
      "user id": { type: "string" },
      "a.b-c": { type: "string" },
      "9lives": { type: "integer" },
      ключ: { type: "string" },
      [`${"x".repeat(80)}`]: { type: "string" },
      constructor: { type: "string" },
    },
    required: ["$filter", "9lives"],
  },
  "required that is no property": { type: "object", properties: { a: { type: "string" } }, required: ["a", "gone"] },
  "wrong words": { type: "object", properties: { a: { type: "any", minLength: "2", pattern: "(", required: true } } },
  deep: nest(14),
  "many choices": {
    type: "object",
    properties: { a: { type: "string", enum: Array.from({ length: 1_200 }, (_, at) => `choice-${at}`) } },
  },
  "many properties": {
    type: "object",
    properties: Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`p${at}`, { type: "string" }])),
  },
  "a long description": { type: "object", properties: { a: { type: "string", description: "long ".repeat(2_000) } } },
};

function nest(levels: number): object {
  if (levels === 0) return { type: "object", properties: { leaf: { type: "string" } }, required: ["leaf"] };
  return { type: "object", properties: { in: nest(levels - 1) }, required: ["in"] };
}
