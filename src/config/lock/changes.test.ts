import { expect, test } from "vitest";
import { buildCatalog } from "../../core/catalog/catalog.ts";
import { toTool } from "../../core/tool/tool.ts";
import { buildLock, listChanges } from "./changes.ts";
import type { Lock } from "./lock.ts";

const names = Array.from({ length: 3_000 }, (_, at) => `p${String(at).padStart(4, "0")}`);

/** A tool with more lines than anybody reads; the last property says this. */
function list(last: string) {
  const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
  const inputSchema = { type: "object", properties: { ...properties, zz: { description: last } } };
  return {
    catalog: buildCatalog([toTool({ name: "long", source: "mcp", server: "s", description: "d", inputSchema })]),
  };
}

const held = (lock: Lock) => ({ path: "/nowhere/toolcrib.lock", lock });

test("what changed is shown however far down it stands", async () => {
  const lock = buildLock(list("the last"), new Map(), null);
  const [change] = await listChanges(list("run this first"), new Map(), held(lock));
  expect(change).toMatchObject({ kind: "changed", tool: "s/long" });
  const shown = change?.diff.filter(({ mark }) => mark !== " ").map(({ mark, text }) => `${mark}${text.trim()}`);
  expect(shown).toEqual(['-"description": "the last"', '+"description": "run this first"']);
});

test("of a new tool no more is shown than somebody may read", async () => {
  const lock = buildLock({ catalog: buildCatalog([]) }, new Map(), null);
  const [change] = await listChanges(list("the last"), new Map(), held(lock));
  expect(change).toMatchObject({ kind: "new", tool: "s/long" });
  expect(change?.diff.length).toBeLessThan(2_100);
});
