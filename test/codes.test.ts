import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CODES } from "../src/core/codes/codes.ts";

const page = readFileSync(new URL("../docs/reference/codes.md", import.meta.url), "utf8");
const rows = [...page.matchAll(/^\|\s*`([^`]+)`\s*\|\s*(\w+)\s*\|\s*(.+?)\s*\|$/gm)].map(([, code, kind, means]) => ({
  code,
  kind,
  means,
}));

test("every code of the table stands on the reference page with its kind and meaning", () => {
  for (const [code, { kind, means }] of Object.entries(CODES)) expect(rows, code).toContainEqual({ code, kind, means });
});

test("the reference page has no code that the table lacks, none twice, and lists them in order", () => {
  const listed = rows.map(({ code }) => code);
  expect(listed).toEqual([...listed].sort());
  expect(new Set(listed).size).toBe(listed.length);
  expect(listed.filter((code) => code === undefined || !Object.hasOwn(CODES, code))).toEqual([]);
});

test("every code is used somewhere in the sources", () => {
  const sources = readTree(new URL("../src", import.meta.url).pathname);
  const unused = Object.keys(CODES).filter((code) => !sources.some((text) => text.includes(`"${code}"`)));
  expect(unused).toEqual([]);
});

function readTree(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.includes(".test") && !file.startsWith("core/codes/"))
    .map((file) => readFileSync(join(folder, file), "utf8"));
}
