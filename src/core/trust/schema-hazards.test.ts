import { describe, expect, test } from "vitest";
import { scanDefinition } from "./scan-definition.ts";

const CLAIMS = { readOnly: false, harmless: false, closedWorld: false };
const scan = (inputSchema: unknown, description = "Adds two numbers.") =>
  scanDefinition({ name: "add", title: null, description, inputSchema, outputSchema: null, claims: CLAIMS });
const withProperty = (schema: unknown) => ({ type: "object", properties: { a: schema } });
const names = (inputSchema: unknown, description?: string) => scan(inputSchema, description).map(({ name }) => name);

describe("a schema that refers to itself", () => {
  test.each([
    ["as a whole, at its top", { type: "object", $ref: "#" }],
    ["as a whole, in a property", withProperty({ $ref: "#" })],
    ["as a whole, in a choice", withProperty({ anyOf: [{ type: "string" }, { $ref: "#/" }] })],
    ["in a definition that is nothing else", { type: "object", $defs: { a: { $ref: "#/$defs/a" } } }],
    ["in a definition whose name is escaped", { type: "object", $defs: { "a b": { $ref: "#/$defs/a%20b" } } }],
    ["in a circle", { type: "object", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } }],
  ])("%s is never registered", (_, schema) => {
    expect(names(schema)).toEqual(["unsafe-schema"]);
  });

  test("in the way of a tree is fine: every round takes a part of the value", () => {
    const node = { type: "object", properties: { children: { type: "array", items: { $ref: "#/$defs/node" } } } };
    expect(names({ type: "object", properties: { root: { $ref: "#/$defs/node" } }, $defs: { node } })).toEqual([]);
  });

  test("to a place that does not exist is left to the check of arguments", () => {
    expect(names(withProperty({ $ref: "#/$defs/none" }))).toEqual([]);
  });
});

describe("a key that reaches for the prototype of objects", () => {
  test.each([
    ["deep in a schema", JSON.parse('{"type":"object","properties":{"a":{"default":{"b":{"__proto__":{"x":1}}}}}}')],
    ["with blanks around it", withProperty({ default: { " __proto__ ": 1 } })],
    ["in JSON that a default holds", withProperty({ type: "string", default: '{"__proto__": {"isAdmin": true}}' })],
    ["in JSON within JSON", withProperty({ type: "string", examples: ['{"a":"{\\"__proto__\\":{}}"}'] })],
    [
      "with its underscores escaped",
      withProperty({ type: "string", const: '{"\\u005f\\u005fproto\\u005f\\u005f":1}' }),
    ],
    ["by its constructor", withProperty({ type: "string", default: '{"constructor": {"prototype": {"x": 1}}}' })],
    ["in an enum", withProperty({ enum: ["a", "x['__proto__']"] })],
  ])("%s keeps the tool away", (_, schema) => {
    expect(names(schema)).toContain("unsafe-schema");
  });

  test("in JSON of a description keeps it away as well, and its name alone does not", () => {
    expect(names(null, 'Merges {"__proto__": {"admin": true}} into the settings.')).toContain("unsafe-schema");
    expect(names(null, "Finds code that writes to __proto__ or to a prototype.")).toEqual([]);
  });
});
