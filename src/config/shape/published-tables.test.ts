import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { fileShape } from "./file-shape.ts";
import { toFileSchema } from "./json-schema.ts";
import { toKeyTable } from "./key-table.ts";
import { toAtOnceTable } from "./trust-table.ts";

const SCHEMA = fileURLToPath(new URL("../../../toolcrib.schema.json", import.meta.url));
const REFERENCE = fileURLToPath(new URL("../../../docs/reference/configuration.md", import.meta.url));

// After a change of the table: scripts/write-config-reference.mjs
test("the published JSON Schema is the one that the table makes", () => {
  expect(JSON.parse(readFileSync(SCHEMA, "utf8"))).toStrictEqual(toFileSchema());
});

test("the reference has exactly the keys of the table, and says what counts without trust", () => {
  const text = readFileSync(REFERENCE, "utf8");
  const tableOf = (name: string) => new RegExp(`<!-- ${name} -->\\n\\n([^]*?)\\n\\n<!-- /${name} -->`).exec(text)?.[1];
  expect(tableOf("keys")).toBe(toKeyTable());
  expect(tableOf("at-once")).toBe(toAtOnceTable());
});

test("every key has its line for people", () => {
  for (const row of toKeyTable().split("\n").slice(2)) {
    expect(row).toMatch(/\| \S[^|]* \|$/);
  }
});

test("the schema knows every key of the table and no other", () => {
  const schema: { properties?: object } = toFileSchema();
  expect(Object.keys(schema.properties ?? {})).toEqual(Object.keys(fileShape.fields));
});

test("the schema is part of the package, where the reference says that editors find it", () => {
  const manifest = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
  expect(manifest.files).toContain("toolcrib.schema.json");
  expect(manifest.exports).toHaveProperty(["./toolcrib.schema.json"], "./toolcrib.schema.json");
  expect(readFileSync(REFERENCE, "utf8")).toContain("node_modules/toolcrib/toolcrib.schema.json");
});
