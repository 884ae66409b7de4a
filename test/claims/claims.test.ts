import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { ClaimedSystem, TestPlace } from "./claim.ts";
import { buildCoveragePage } from "./coverage-page.ts";
import { SYSTEMS } from "./systems.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

test("docs/reference/coverage.md says what the table says", async () => {
  await expect(buildCoveragePage(SYSTEMS)).toMatchFileSnapshot(join(ROOT, "docs/reference/coverage.md"));
});

test.each(SYSTEMS)("$title: each claim stands there once, and the test that shows it exists", (system) => {
  const claims = claimsOf(system);
  expect(claims.map(({ claim }) => claim)).toEqual([...new Set(claims.map(({ claim }) => claim))]);
  expect(claims.filter((one) => !hasTest(one.test)).map((one) => one.test)).toEqual([]);
});

test.each<[string, TestPlace]>([
  ["has another name", ["test/claims/claims.test.ts", "a test that nobody wrote"]],
  ["lies elsewhere", ["test/claims/nowhere.test.ts", "docs/reference/coverage.md says what the table says"]],
  ["is a group", ["test/seeds/vscode-include-exclude.test.ts", "the edge cases"]],
])("a test that %s is missed", (_what, place) => {
  expect(hasTest(place)).toBe(false);
});

function claimsOf({ parts }: ClaimedSystem) {
  return Object.values(parts).flat();
}

const texts = new Map<string, string>();

function hasTest([file, name]: TestPlace): boolean {
  const text = texts.get(file) ?? (existsSync(join(ROOT, file)) ? readFileSync(join(ROOT, file), "utf8") : "");
  texts.set(file, text);
  // The first argument of whatever runs it, or the name of a row in a table of behaviours; one alone, so that it is clear which.
  const title = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const shown = new RegExp(`(?:(?<!\\b(?:describe|skip|todo))\\(|\\bname:)\\s*(["'\`])${title}\\1[,)]`, "g");
  return [...text.matchAll(shown)].length === 1;
}
