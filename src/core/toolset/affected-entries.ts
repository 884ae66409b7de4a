import type { Entry } from "../catalog/entry.ts";
import type { Mention, ResolvedList } from "../catalog/resolve-list.ts";
import type { SceneLists } from "../scene/scene-lists.ts";

/** Entries that a list of the scene now mentions differently, because a name means something else. */
export function findAffected(before: SceneLists, after: SceneLists): ReadonlySet<Entry> {
  const affected = new Set<Entry>();
  const pairs: [ResolvedList | null | undefined, ResolvedList | null | undefined][] = [
    [before.include, after.include],
    [before.exclude, after.exclude],
    [before.agentTools, after.agentTools],
    [before.disallowed, after.disallowed],
    [before.defaultExcluded, after.defaultExcluded],
    [before.deniedTools, after.deniedTools],
    [before.deny, after.deny],
    [before.skills, after.skills],
  ];
  for (const [at, limit] of after.limits.entries()) {
    pairs.push([before.limits[at]?.include, limit.include], [before.limits[at]?.exclude, limit.exclude]);
  }
  for (const server of new Set([...before.serverTools.keys(), ...after.serverTools.keys()]))
    pairs.push([before.serverTools.get(server), after.serverTools.get(server)]);
  for (const [old, now] of pairs) compare(old ?? null, now ?? null, affected);
  return affected;
}

function compare(before: ResolvedList | null, after: ResolvedList | null, affected: Set<Entry>): void {
  if (before === after) return;
  for (const [entry, { all }] of after?.mentions.named ?? [])
    if (!isSame(before?.mentions.named.get(entry)?.all ?? NOBODY, all)) affected.add(entry);
  for (const entry of before?.mentions.named.keys() ?? [])
    if (after?.mentions.named.has(entry) !== true) affected.add(entry);
}

const NOBODY: readonly Mention[] = [];

function isSame(before: readonly Mention[], after: readonly Mention[]): boolean {
  if (before === after) return true;
  return (
    before.length === after.length &&
    before.every(({ explicit, by }, at) => {
      const other = after[at];
      return other?.explicit === explicit && other.by.value === by.value && other.by.origin === by.origin;
    })
  );
}
