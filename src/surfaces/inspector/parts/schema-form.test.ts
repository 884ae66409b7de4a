import { expect, test } from "vitest";
import { readFormArguments, toArguments, toFormFields } from "./schema-form.ts";

const SCHEMA = {
  type: "object",
  required: ["path"],
  properties: {
    lines: { type: "integer", description: "how many" },
    path: { type: "string" },
    deep: { type: "boolean", default: true },
    unit: { enum: ["c", 1, null] },
    filter: { type: "object" },
    any: {},
  },
};
const fill = (values: Record<string, string>) => toArguments(toFormFields(SCHEMA), new Map(Object.entries(values)));

test("each property becomes the field that fits it, required ones first", () => {
  expect(toFormFields(SCHEMA).map(({ name, kind }) => [name, kind])).toEqual([
    ["path", "text"],
    ["lines", "number"],
    ["deep", "flag"],
    ["unit", "choice"],
    ["filter", "json"],
    ["any", "json"],
  ]);
});

test("values keep their types, defaults count, and empty optional fields are left out", () => {
  expect(fill({ path: "a.ts", lines: "12", unit: "1", filter: '{"a":[1]}' })).toEqual({
    args: { path: "a.ts", lines: 12, deep: true, unit: 1, filter: { a: [1] } },
  });
  expect(fill({ path: "", deep: "" })).toEqual({ args: { path: "" } });
});

test.each([
  [{ path: "a", lines: "many" }, "lines is not a number"],
  [{ path: "a", filter: "{" }, "filter is not valid JSON"],
  [{ path: "a", deep: "1" }, "deep is not true or false"],
])("%j is a problem that names its field", (values, problem) => {
  expect(fill(values)).toEqual({ problem });
});

test.each([null, {}, { properties: [] }, "x"])("a schema such as %j has no fields", (schema) => {
  expect(toFormFields(schema)).toEqual([]);
});

test("arguments can be written by hand, and must be an object", () => {
  expect(readFormArguments('{"a":1}')).toEqual({ args: { a: 1 } });
  expect(readFormArguments("")).toEqual({ args: {} });
  expect(readFormArguments("[1]")).toHaveProperty("problem");
});
