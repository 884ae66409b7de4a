import type { Catalog } from "../catalog/catalog.ts";
import type { Entry } from "../catalog/entry.ts";
import { findBehind } from "../toolset/loadable.ts";
import type { Placement, Toolset } from "../toolset/toolset.ts";
import type { RequestBook } from "./request-book.ts";
import type { SearchIndex } from "./search-index.ts";

/** The part of a toolset that a search may see. Hidden tools are absent, so nothing can find, name or suggest them. */
export interface SearchedToolset {
  /** Every permitted tool but `tool_search`, in payload order. */
  readonly permitted: readonly Placement[];
  /** What words and patterns search: the deferred and the loaded tools; all, if none is deferred or some came late. */
  readonly searchable: readonly Placement[];
  /** Permitted tools by every unambiguous name; names of the payload win. */
  readonly byName: ReadonlyMap<string, Placement>;
  /** The same in lower case. */
  readonly byFoldedName: ReadonlyMap<string, Placement>;
}

/** Stored requests for a definition, by its signature. */
type Written = ReadonlyMap<string, { readonly requests: readonly string[] }>;
const NO_WRITTEN: Written = new Map();
/** The requests an index was last synced with. */
const seen = new WeakMap<SearchIndex<Entry>, Written>();

/**
 * Syncs the index with a catalog: unchanged entries are the same objects and stay. A server's tools are looked up in
 * the book together, so all of them are read again when one comes or goes.
 */
export function syncIndex(
  index: SearchIndex<Entry>,
  { entries }: Catalog,
  book: RequestBook | null = null,
  written: Written = NO_WRITTEN,
): void {
  const wanted = new Set(entries);
  const before = seen.get(index) ?? NO_WRITTEN;
  const isNew = (entry: Entry): boolean =>
    !index.has(entry) || before.get(entry.signature) !== written.get(entry.signature);
  seen.set(index, written);
  const fresh = new Set(entries.filter(isNew));
  const changed = new Set([...fresh].map(({ tool }) => tool.server));
  for (const entry of [...index.keys()])
    if (!wanted.has(entry)) {
      index.remove(entry);
      changed.add(entry.tool.server);
    }
  const read = entries.filter((entry) => fresh.has(entry) || (book !== null && changed.has(entry.tool.server)));
  const asked = book?.match(read.map(({ tool }) => tool));
  for (const entry of read) {
    const { name, rename, description, inputSchema, aliases, examples, title, server } = entry.tool;
    const requests = asked?.get(entry.tool) ?? [];
    index.add(entry, {
      name: rename ?? name,
      description,
      inputSchema,
      aliases,
      examples: [...examples, ...requests, ...(written.get(entry.signature)?.requests ?? [])],
      title,
      server,
    });
  }
}

export function viewToolset(toolset: Toolset): SearchedToolset {
  const cached = views.get(toolset);
  if (cached !== undefined) return cached;
  const permitted = toolset.placements.filter(
    ({ entry, standing }) =>
      standing !== "hidden" && entry !== toolset.catalog.search && entry !== toolset.catalog.code,
  );
  const { deferred, loaded } = findBehind(toolset);
  // A client with an outdated list must find everything newer, deferred or not.
  const isAll = deferred.length + loaded.length === 0 || toolset.scene.client?.late === true;
  const searchable = isAll ? permitted : [...deferred, ...loaded];
  const byName = indexNames(permitted);
  const byFoldedName = new Map<string, Placement>();
  for (const [name, placement] of byName) {
    const folded = name.toLowerCase();
    if (!byFoldedName.has(folded)) byFoldedName.set(folded, placement);
  }
  const view = { permitted, searchable, byName, byFoldedName };
  views.set(toolset, view);
  return view;
}

const views = new WeakMap<Toolset, SearchedToolset>();

/** Marks the slots that may be scored. */
export function toMask(index: SearchIndex<Entry>, placements: readonly Placement[]): Uint8Array {
  const mask = new Uint8Array(index.slots.length);
  for (const { entry } of placements) {
    const slot = index.slotOf(entry);
    if (slot !== undefined) mask[slot] = 1;
  }
  return mask;
}

function indexNames(placements: readonly Placement[]): ReadonlyMap<string, Placement> {
  const names = new Map<string, Placement>();
  for (const placement of placements) names.set(placement.entry.wireName, placement);
  const others = new Map<string, Placement | null>();
  for (const placement of placements) {
    const { identity, id, tool } = placement.entry;
    for (const name of new Set([identity, id, tool.name, ...tool.aliases])) {
      const taken = others.get(name);
      others.set(name, taken === undefined || taken === placement ? placement : null);
    }
  }
  for (const [name, placement] of others) if (placement !== null && !names.has(name)) names.set(name, placement);
  return names;
}
