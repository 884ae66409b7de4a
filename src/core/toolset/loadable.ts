import type { Placement, Toolset } from "./toolset.ts";

/** The tools reachable through `tool_search`; both parts are empty if nothing is deferred. */
export interface BehindSearch {
  /** Not loaded, in catalog order. */
  readonly deferred: readonly Placement[];
  /** Loaded by a search, in the order of promotion: they follow `tool_search` in the payload (C1). */
  readonly loaded: readonly Placement[];
  /** Whether a model can search at all. */
  readonly searchable: boolean;
}

export function findBehind({ catalog, placements }: Pick<Toolset, "catalog" | "placements">): BehindSearch {
  const at = placements.findIndex(({ entry }) => entry === catalog.search);
  return {
    deferred: placements.filter(({ standing }) => standing === "deferred"),
    loaded: at < 0 ? [] : placements.slice(at + 1).filter(({ standing }) => standing === "visible"),
    searchable: placements[at]?.standing === "visible",
  };
}

/** Both parts in catalog order: a list that no search changes, so that caches stay valid. */
export function listBehind(toolset: Pick<Toolset, "catalog" | "placements">): readonly Placement[] {
  const { deferred, loaded } = findBehind(toolset);
  if (loaded.length === 0) return deferred;
  const rank = new Map(toolset.catalog.entries.map((entry, at) => [entry, at]));
  return [...deferred, ...loaded].sort((left, right) => (rank.get(left.entry) ?? 0) - (rank.get(right.entry) ?? 0));
}
