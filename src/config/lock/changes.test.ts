import { expect, test } from "vitest";
import { buildCatalog } from "../../core/catalog/catalog.ts";
import { toTool } from "../../core/tool/tool.ts";
import { buildLock, listChanges } from "./changes.ts";

const names = Array.from({ length: 3_000 }, (_, at) => `p${String(at).padStart(4, "0")}`);

/** A tool with more lines than anybody reads; the last property says this. */
function list(last: string) {
  const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
  const inputSchema = { type: "object", properties: { ...properties, zz: { description: last } } };
  return {
    catalog: buildCatalog([toTool({ name: "long", source: "mcp", server: "s", description: "d", inputSchema })]),
  };
}

test("what changed is shown however far down it stands", () => {
  const lock = buildLock(list("the last"), new Map(), null);
  const [change] = listChanges(list("run this first"), new Map(), lock);
  expect(change).toMatchObject({ kind: "changed", tool: "s/long" });
  const shown = change?.diff.filter(({ mark }) => mark !== " ").map(({ mark, text }) => `${mark}${text.trim()}`);
  expect(shown).toEqual(['-"description": "the last"', '+"description": "run this first"']);
});

test("of a new tool no more is shown than somebody may read", () => {
  const lock = buildLock({ catalog: buildCatalog([]) }, new Map(), null);
  const [change] = listChanges(list("the last"), new Map(), lock);
  expect(change).toMatchObject({ kind: "new", tool: "s/long" });
  expect(change?.diff.length).toBeLessThan(2_100);
});
