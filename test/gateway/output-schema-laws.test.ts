import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createValidator } from "../../src/runtime/executor/validator.ts";
import { toOutputSchema } from "../../src/surfaces/gateway/tools/output-schema.ts";

const OPTIONS = {
  strict: false,
  validateSchema: false,
  validateFormats: true,
  allErrors: true,
  logger: false,
} as const;
const KEYWORDS = [
  ...["type", "enum", "const", "required", "dependentRequired", "multipleOf", "minimum", "maxLength", "minItems"],
  ...["uniqueItems", "pattern", "format", "title", "description", "$comment", "default", "examples", "x-own"],
  ...["items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else", "unevaluatedItems"],
  ...["unevaluatedProperties", "contentSchema", "allOf", "anyOf", "oneOf", "prefixItems", "properties"],
  ...["patternProperties", "$defs", "definitions", "dependentSchemas", "$schema", "$ref", "$id", "id", "$anchor"],
  ...["$async", "nullable", "additionalItems", "dependencies", "discriminator", "deprecated", "maxContains"],
];
const scrap = fc.oneof(
  fc.constantFrom<unknown>("object", "string", "integer", "nonsense", "(", "^a", "#", "#/$defs/a", "#/$defs/b", "date"),
  fc.constantFrom<unknown>(0, -1, 2.5, true, null, [], ["a"], ["string", "null"], ["string", "string"], {}),
  fc.constantFrom<unknown>("http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"),
);
const { schema } = fc.letrec<{ schema: unknown; value: unknown }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>({ type: "object" }, { type: "string" }, true),
    fc.dictionary(fc.constantFrom(...KEYWORDS), tie("value"), { maxKeys: 5 }),
  ),
  value: fc.oneof(
    { maxDepth: 4 },
    scrap,
    tie("schema"),
    fc.array(tie("schema"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom("a", "b", "(", "type", "__proto__"), tie("schema"), { maxKeys: 3 }),
  ),
}));

test("whatever is shown as a promise can be compiled by the validators of the official clients, in either form", () => {
  let shown = 0;
  const validators = [new Ajv(OPTIONS), new Ajv2020(OPTIONS)];
  fc.assert(
    fc.property(schema, (given) => {
      const json: unknown = JSON.parse(JSON.stringify(given));
      const promise = toOutputSchema(json);
      if (promise === null) return;
      shown += 1;
      for (const form of [promise.modern, promise.legacy]) {
        if (form === null) continue;
        for (const validator of validators) {
          // To make one takes far longer than to let it forget.
          validator.removeSchema();
          validator.compile(form);
        }
      }
      expect(promise.legacy?.type ?? "object").toBe("object");
    }),
    { numRuns: 1_500, seed: 8 },
  );
  expect(shown).toBeGreaterThan(200);
});

/** An object of many parts that are all described in one place. */
function repeating(parts: number, size: number): object {
  const many = (count: number, value: object) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, value]));
  const part = { type: "object", properties: many(size, { type: "string" }) };
  return { type: "object", $defs: { part }, properties: many(parts, { $ref: "#/$defs/part" }) };
}

test("a schema that describes many parts in one place is shown", () => {
  expect(toOutputSchema(repeating(40, 40))).not.toBeNull();
});

test.each([
  ["a name for all tools of all servers", { $id: "https://example.com/x", type: "object" }],
  ["a name in a part of it", { type: "object", properties: { a: { $id: "x" } } }],
  ["a reference to elsewhere", { type: "object", properties: { a: { $ref: "https://example.com/x" } } }],
  ["a reference to nothing", { type: "object", properties: { a: { $ref: "#/$defs/missing" } } }],
  ["a pattern that is none", { type: "object", properties: { a: { type: "string", pattern: "(" } } }],
  ["a pattern that refers to itself", { type: "object", patternProperties: { "^(a)\\1$": true } }],
  ["a dialect that nobody knows", { $schema: "https://example.com/dialect", type: "object" }],
  ["properties that are none", { type: "object", properties: 5 }],
  ["required that are no names", { type: "object", required: "a" }],
  ["answers that come later", { $async: true, type: "object" }],
  ["parts that clients would write out again and again", repeating(100, 100)],
  ["a text", "object"],
  ["a list", [{ type: "object" }]],
  ["nothing", null],
])("a schema with %s is not shown", (_, given) => {
  expect(toOutputSchema(given)).toBeNull();
});

test("the older era gets what is no object under `result`, unless the schema refers to its own root", () => {
  const list = { $schema: "http://json-schema.org/draft-07/schema#", type: "array", items: { type: "number" } };
  expect(toOutputSchema(list)).toEqual({
    modern: list,
    isWrapped: true,
    legacy: {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: { result: { type: "array", items: { type: "number" } } },
      required: ["result"],
    },
  });
  const tree = { type: "array", items: { $ref: "#" } };
  expect(toOutputSchema(tree)).toEqual({ modern: tree, isWrapped: false, legacy: null });
  const ordinary = { type: "object", properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: { type: "string" } } };
  expect(toOutputSchema(ordinary)).toEqual({ modern: ordinary, isWrapped: false, legacy: ordinary });
});

const withPattern = (pattern: string) => toOutputSchema({ type: "object", properties: { a: { pattern } } });

test.each(["^(a+)+$", "^(a|a)*$", "(a|a){30}", "a?a?a?a?aaaa", "(a|b)(a|b)", "^((a))$", "a*a*b", "(a{0,30}){0,30}"])(
  "a schema with %s, which could keep a client busy for ever, is not shown",
  (pattern) => expect(withPattern(pattern)).toBeNull(),
);

test.each(["^[a-z]+$", "^\\d{4}-\\d{2}-\\d{2}$", "^(red|green|blue)$", "^https?://", "^#[0-9a-fA-F]{6}$"])(
  "a schema with an ordinary pattern is shown: %s",
  (pattern) => expect(withPattern(pattern)).not.toBeNull(),
);

test("a schema that nobody could be made ready for in time promises nothing, and what a real server has does", async () => {
  const wide = (size: number) => ({
    type: "object",
    properties: Object.fromEntries(Array.from({ length: size }, (_, at) => [`p${at}`, { type: "string" }])),
  });
  for (const size of [600, 1_900, 2_100, 4_000]) {
    const promised = toOutputSchema(wide(size));
    expect(promised === null, String(size)).toBe(size > 2_000);
    // What is promised can be checked against results.
    if (promised !== null) expect(await createValidator().check("s", promised.modern, { p0: "x" })).toBeNull();
  }
});
