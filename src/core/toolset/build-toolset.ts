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
  const resolved = resolveScene(catalog, scene);
  return place(
    catalog,
    resolved,
    gates,
    catalog.entries.map((entry) => judgeEntry(entry, resolved, gates)),
  );
}

/** The same scene on a changed catalog: only tools that the change can affect are judged again. */
export function rebuildToolset(previous: Toolset, catalog: Catalog, gates: readonly Gate[] = GATES): Toolset {
  const { changed, stayed } = findChanges(previous.catalog.entries, catalog.entries);
  const scene = resolveScene(catalog, previous.scene, { ...previous, changed });
  const affected = findAffected(previous.scene.lists, scene.lists);
  const judged = catalog.entries.map((entry, at) => {
    const earlier = previous.judged[stayed[at] ?? ADDED];
    return earlier === undefined || affected.has(entry) ? judgeEntry(entry, scene, gates) : earlier;
  });
  return place(catalog, scene, gates, judged);
}

const ADDED = -1;

/** Added and removed entries, and for each entry its earlier position. Those that stayed keep their order. */
function findChanges(
  before: readonly Entry[],
  after: readonly Entry[],
): { readonly changed: readonly Entry[]; readonly stayed: Int32Array } {
  const stayed = new Int32Array(after.length).fill(ADDED);
  let start = 0;
  for (; start < after.length && before[start] === after[start]; start++) stayed[start] = start;
  let end = after.length;
  const shift = before.length - end;
  for (; end > start && end + shift > start && before[end - 1 + shift] === after[end - 1]; end--)
    stayed[end - 1] = end - 1 + shift;
  const earlier = new Map<Entry, number>();
  for (let at = start; at < end + shift; at++) earlier.set(before[at] as Entry, at); // Within its length.
  const added: Entry[] = [];
  for (let at = start; at < end; at++) {
    const entry = after[at] as Entry; // As above.
    stayed[at] = earlier.get(entry) ?? ADDED;
    if (!earlier.delete(entry)) added.push(entry);
  }
  return { changed: [...added, ...earlier.keys()], stayed };
}

function place(
  catalog: Catalog,
  scene: ResolvedScene,
  gates: readonly Gate[],
  judged: readonly (readonly TraceLine[])[],
): Toolset {
  checkFilter(catalog, scene, judged);
  const { placements, notices } = placeWithinBudget(catalog, scene, judged, (entry) => judgeEntry(entry, scene, gates));
  return {
    catalog,
    scene,
    placements,
    sets: toSetStates(scene, placements),
    notices: [
      ...listNotices(scene),
      ...noticeHiddenMentions(scene, placements),
      ...noticeScans(catalog.entries, judged),
      ...notices,
    ],
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
