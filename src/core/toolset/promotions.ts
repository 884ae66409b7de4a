import type { Catalog } from "../catalog/catalog.ts";
import { CODE_NAME } from "../catalog/code-tool.ts";
import type { Entry } from "../catalog/entry.ts";
import type { Promotions } from "../scene/scene.ts";
import { isCodeUsed } from "./code-use.ts";
import type { Toolset } from "./toolset.ts";

/**
 * The promoted tools that may still be shown, oldest first. With another catalog hash a promotion survives only if the
 * tool's signature is unchanged, so that a stale name never releases another tool.
 */
export function livePromotions(catalog: Catalog, promoted: Promotions, permitted: readonly Entry[]): readonly Entry[] {
  if (promoted.names.length === 0) return [];
  const wanted = new Set(promoted.names);
  const byName = new Map<string, Entry>();
  for (const entry of permitted) if (wanted.has(entry.wireName)) byName.set(entry.wireName, entry);
  const sameCatalog = promoted.catalogHash === catalog.hash;
  return [...wanted].flatMap((name) => {
    const entry = byName.get(name);
    if (entry === undefined) return [];
    return sameCatalog || promoted.signatures.get(name) === entry.signature ? [entry] : [];
  });
}

/**
 * Appends these tools to the promotions, all under this catalog's hash. Earlier ones keep their positions, so that what
 * a model was sent only grows at its end; outdated ones are dropped.
 */
export function promote(promoted: Promotions, catalog: Catalog, entries: readonly Entry[]): Promotions {
  const kept = livePromotions(catalog, promoted, ownersOf(catalog));
  const before = new Set(kept);
  const all = [...kept, ...new Set(entries.filter((entry) => !before.has(entry)))];
  return {
    catalogHash: catalog.hash,
    names: all.map(({ wireName }) => wireName),
    signatures: new Map(all.map(({ wireName, signature }) => [wireName, signature])),
  };
}

/** Maximum number of promotions of absent tools. */
const MAX_ABSENT = 256;

/**
 * Appends earlier promotions whose tools are absent, as a server's are while it restarts, with their signatures, so
 * that only the same tools return.
 */
export function keepAbsent(promoted: Promotions, catalog: Catalog, earlier: Promotions): Promotions {
  const taken = new Set([...promoted.names, ...catalog.entries.map(({ wireName }) => wireName)]);
  const absent = earlier.names.filter((name) => !taken.has(name) && earlier.signatures.has(name)).slice(-MAX_ABSENT);
  if (absent.length === 0) return promoted;
  return {
    ...promoted,
    names: [...promoted.names, ...absent],
    signatures: new Map([
      ...promoted.signatures,
      ...absent.map((name) => [name, earlier.signatures.get(name) ?? ""] as const),
    ]),
  };
}

/** A name may be claimed by several entries; only its owner is ever shown under it (G14). */
function ownersOf({ entries }: Catalog): readonly Entry[] {
  return entries.filter(({ nameOwner }) => nameOwner === null);
}

interface PromotionBudget {
  /** The total cost in tokens that promoted definitions may have. */
  readonly tokens: number;
  /** When each name was last called or found, in any growing unit; absent means longest ago. */
  readonly lastUsed: ReadonlyMap<string, number>;
}

/**
 * Between turns: drops the least recently used until the rest fits. The order of the others does not change, and of
 * tools used at the same time the older promotion is dropped first.
 */
export function trimPromotions(promoted: Promotions, catalog: Catalog, budget: PromotionBudget): Promotions {
  const live = livePromotions(catalog, promoted, ownersOf(catalog));
  const byUse = live
    .map((entry, at) => ({ entry, at, used: budget.lastUsed.get(entry.wireName) ?? Number.NEGATIVE_INFINITY }))
    .sort((a, b) => (a.used === b.used ? b.at - a.at : a.used < b.used ? 1 : -1));
  const kept = new Set<Entry>();
  let left = budget.tokens;
  for (const { entry } of byUse) {
    left -= entry.tokens;
    if (left < 0) break;
    kept.add(entry);
  }
  return promote(
    { catalogHash: null, names: [], signatures: new Map() },
    catalog,
    live.filter((entry) => kept.has(entry)),
  );
}

/** What a call of a deferred tool gets instead of a result: how to load it. */
export function adviseSearch(wireName: string, toolset: Pick<Toolset, "catalog" | "placements">): string {
  if (isCodeUsed(toolset))
    return `${wireName} was not looked up, so nothing was run. Tools are called from ${CODE_NAME}, by code that looks them up first: await tools.describe(${JSON.stringify(wireName)}) says how to call this one.`;
  return `${wireName} is not loaded yet, so nothing was run. Call tool_search with {"query":"select:${wireName}"} first, then call it again.`;
}
