import { describe, expect, test } from "vitest";
import { buildCatalog, type Catalog } from "../catalog/catalog.ts";
import type { Entry } from "../catalog/entry.ts";
import { NO_PROMOTIONS } from "../scene/scene.ts";
import { toTool } from "../tool/tool.ts";
import { adviseSearch, livePromotions, promote, trimPromotions } from "./promotions.ts";

const tool = (name: string, description = "") => toTool({ name, source: "mcp", server: "s", description });
const catalog = buildCatalog([tool("a"), tool("b"), tool("c")]);
const changed = buildCatalog([tool("a", "now it deletes"), tool("b"), tool("d")]);
const pick = ({ entries }: Catalog, ...names: readonly string[]): readonly Entry[] =>
  names.flatMap((name) => entries.filter(({ tool }) => tool.name === name));

describe("promoting (D5)", () => {
  test("adds behind what is promoted, each once, and keeps the order", () => {
    const first = promote(NO_PROMOTIONS, catalog, pick(catalog, "b"));
    const second = promote(first, catalog, pick(catalog, "a", "b", "a"));
    expect(second.names).toEqual(["s__b", "s__a"]);
    expect(second.catalogHash).toBe(catalog.hash);
    expect([...second.signatures.keys()]).toEqual(["s__b", "s__a"]);
  });

  test("under another hash only tools with an unchanged signature stay", () => {
    const before = promote(NO_PROMOTIONS, catalog, pick(catalog, "a", "b", "c"));
    const after = promote(before, changed, pick(changed, "d"));
    expect(after.names).toEqual(["s__b", "s__d"]);
    expect(livePromotions(changed, after, changed.entries).map(({ tool }) => tool.name)).toEqual(["b", "d"]);
  });

  test("a name without a signature ends with the catalog it was promoted under", () => {
    const bare = { catalogHash: catalog.hash, names: ["s__b"], signatures: new Map() };
    expect(promote(bare, catalog, []).names).toEqual(["s__b"]);
    expect(promote(bare, changed, []).names).toEqual([]);
  });
});

describe("trimming between turns (D8)", () => {
  const all = promote(NO_PROMOTIONS, catalog, pick(catalog, "a", "b", "c"));
  const cost = catalog.entries[0]?.tokens ?? 0;

  test("nothing goes while all fits", () => {
    expect(trimPromotions(all, catalog, { tokens: 1_000_000, lastUsed: new Map() })).toEqual(all);
  });

  test("the least recently used goes first, and the rest keeps its order", () => {
    const lastUsed = new Map([
      ["s__a", 3],
      ["s__b", 1],
      ["s__c", 2],
    ]);
    expect(trimPromotions(all, catalog, { tokens: 2 * cost, lastUsed }).names).toEqual(["s__a", "s__c"]);
    expect(trimPromotions(all, catalog, { tokens: cost, lastUsed }).names).toEqual(["s__a"]);
    expect(trimPromotions(all, catalog, { tokens: 0, lastUsed }).names).toEqual([]);
  });

  test("of tools that were never used the older promotion goes first", () => {
    expect(trimPromotions(all, catalog, { tokens: 2 * cost, lastUsed: new Map() }).names).toEqual(["s__b", "s__c"]);
  });
});

test("a call of a tool that is not loaded is told how to load it (D6)", () => {
  expect(adviseSearch("s__a", { catalog, placements: [] })).toContain('{"query":"select:s__a"}');
});
