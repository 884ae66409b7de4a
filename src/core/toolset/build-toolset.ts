import type { Catalog } from "../catalog/catalog.ts";
import type { Entry } from "../catalog/entry.ts";
import { GATES, type Gate } from "../gates/gates.ts";
import { listNotices, type ResolvedScene, resolveScene } from "../scene/resolved-scene.ts";
import type { Scene } from "../scene/scene.ts";
import { findAffected } from "./affected-entries.ts";
import { placeWithinBudget } from "./budget.ts";
import { checkFilter, noticeHiddenMentions } from "./check-filter.ts";
import type { Placement, SetState, Toolset, TraceLine } from "./toolset.ts";
import { noticeScans } from "./trust-notices.ts";

/**
 * Judges every tool by every gate, because a person asking "why?" deserves all the reasons, and lets the budget decide
 * which permitted tools are deferred. Throws `filter.empty-include` or `filter.no-tools` if the filter leaves nothing.
 */
export function buildToolset(catalog: Catalog, scene: Scene, gates: readonly Gate[] = GATES): Toolset {
  return place(catalog, resolveScene(catalog, scene), gates, new Map());
}

/** The same scene on a changed catalog: only tools that the change can affect are judged again. */
export function rebuildToolset(previous: Toolset, catalog: Catalog, gates: readonly Gate[] = GATES): Toolset {
  const { added, removed } = findChanges(previous, catalog);
  const scene = resolveScene(catalog, previous.scene, { ...previous, changed: [...added, ...removed] });
  const kept = new Map(previous.judged);
  for (const entry of removed) kept.delete(entry);
  for (const entry of findAffected(previous.scene.lists, scene.lists)) kept.delete(entry);
  return place(catalog, scene, gates, kept);
}

/** Added and removed entries. Entries that stayed keep their order, so one walk along both catalogs finds the rest. */
function findChanges(previous: Toolset, { entries }: Catalog): { added: readonly Entry[]; removed: readonly Entry[] } {
  const added = entries.filter((entry) => !previous.judged.has(entry));
  const fresh = new Set(added);
  const stayed = entries.filter((entry) => !fresh.has(entry));
  let at = 0;
  const removed = previous.catalog.entries.filter((entry) => {
    if (stayed[at] !== entry) return true;
    at += 1;
    return false;
  });
  return { added, removed };
}

function place(
  catalog: Catalog,
  scene: ResolvedScene,
  gates: readonly Gate[],
  kept: Map<Entry, readonly TraceLine[]>,
): Toolset {
  const judged = kept;
  for (const entry of catalog.entries) if (!judged.has(entry)) judged.set(entry, judgeEntry(entry, scene, gates));
  checkFilter(catalog, scene, judged);
  const { placements, notices } = placeWithinBudget(catalog, scene, judged, (entry) => judgeEntry(entry, scene, gates));
  return {
    catalog,
    scene,
    placements,
    sets: toSetStates(scene, placements),
    notices: [...listNotices(scene), ...noticeHiddenMentions(scene, placements), ...noticeScans(judged), ...notices],
    judged,
  };
}

const CLEAN: readonly TraceLine[] = [];

function judgeEntry(entry: Entry, scene: ResolvedScene, gates: readonly Gate[]): readonly TraceLine[] {
  let trace: TraceLine[] | null = null;
  for (const gate of gates) {
    const verdict = gate.judge(entry, scene);
    if (verdict.kind === "pass") continue;
    trace ??= [];
    for (const reason of verdict.reasons) trace.push({ gate: gate.name, verdict: verdict.kind, reason });
  }
  return trace ?? CLEAN;
}

function toSetStates({ resolver }: ResolvedScene, placements: readonly Placement[]): readonly SetState[] {
  if (resolver.sets.length === 0) return [];
  const hidden = new Set(placements.filter(({ standing }) => standing === "hidden").map(({ entry }) => entry));
  return resolver.sets.map((set) => {
    // Tools that lost their name are no members that anybody could miss.
    const entries = resolver.members(set).entries.filter(({ nameOwner }) => nameOwner === null);
    return { name: set.name, enabled: entries.length > 0 && !entries.some((entry) => hidden.has(entry)) };
  });
}
