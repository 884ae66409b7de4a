import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const SRC = new URL("../../src/", import.meta.url).pathname;

/** What is loaded with a file before anybody calls anything in it. */
function loadedWith(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(file, "utf8");
  for (const [, clause = "", target = ""] of text.matchAll(/^(?:import|export)\s+([^"']*?)\s*from\s+"([^"]+)"/gm)) {
    const isType = clause.startsWith("type ") || /^\{(?:\s*type [^,}]+,?)+\s*\}$/.test(clause);
    if (isType) continue;
    if (target.startsWith(".")) loadedWith(join(file, "..", target), seen);
    else seen.add(target);
  }
  return seen;
}

test("without people nothing of them is loaded, and keys of other issuers are read only by those who need them", () => {
  const up = [...loadedWith(join(SRC, "surfaces/cli/up/front-door.ts"))];
  expect(up.length).toBeGreaterThan(300);
  expect(up).toContain(join(SRC, "surfaces/http/door/doorkeeper.ts"));
  expect(up.filter((file) => /\/http\/people\/|runtime\/people\/(?!people-scope)/.test(file))).toEqual([]);
  const people = loadedWith(join(SRC, "surfaces/http/people/open-people.ts"));
  expect([...people].filter((name) => name === "jose" || name === "oidc-provider")).toEqual([]);
});
