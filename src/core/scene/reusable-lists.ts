import type { Catalog } from "../catalog/catalog.ts";
import type { Entry } from "../catalog/entry.ts";
import { ALL_TOOLS } from "../catalog/meaning.ts";
import type { NamedSet } from "../catalog/named-set.ts";
import type { ResolvedList } from "../catalog/resolve-list.ts";
import { createResolver, type Resolver } from "../catalog/resolver.ts";
import type { SetMembers } from "../catalog/set-members.ts";
import type { NameList } from "../codes/origin.ts";
import { serverOf } from "../tool/tool.ts";
import type { Scene } from "./scene.ts";
import type { SceneLists } from "./scene-lists.ts";

/** The same scene on an earlier catalog, and the entries of either catalog that the other lacks. */
export interface EarlierScene {
  readonly catalog: Catalog;
  readonly scene: Scene & { readonly lists: SceneLists; readonly resolver: Resolver };
  readonly changed: readonly Entry[];
}

interface Reusable {
  readonly lists: ReadonlyMap<NameList, ResolvedList>;
  readonly members: ReadonlyMap<NamedSet, SetMembers>;
}

/**
 * What was read from an earlier catalog and still reads the same. The meaning of a name can only have changed if it
 * matches an added or removed entry, so names are tried against those alone. A name that meant nothing is always read
 * again, because its suggestions depend on the whole catalog.
 */
export function findReusable({ catalog, scene, changed }: EarlierScene, now: Catalog): Reusable {
  if (catalog.search !== now.search) return { lists: new Map(), members: new Map() };
  const onChanged = createResolver({
    catalog: { entries: changed, search: now.search, code: now.code, style: now.style },
    sets: scene.sets,
    servers: scene.servers.keys(),
  });
  const servers = new Set(changed.map(({ tool }) => serverOf(tool)));
  const members = new Map<NamedSet, SetMembers>();
  for (const set of scene.sets) {
    const known = scene.resolver.members(set);
    if (known.unknown.length === 0 && !known.pending && withoutSearch(onChanged.members(set).entries, now).length === 0)
      members.set(set, known);
  }
  const lists = new Map<NameList, ResolvedList>();
  const { serverTools, limits, ...named } = scene.lists;
  for (const list of [...Object.values(named), ...limits.flatMap(({ include, exclude }) => [include, exclude])])
    if (list !== null && isSettled(list) && !list.list.value.some(({ value }) => touches(onChanged, value, now)))
      lists.set(list.list, list);
  for (const [server, list] of serverTools) if (isSettled(list) && !servers.has(server)) lists.set(list.list, list);
  return { lists, members };
}

function isSettled({ unknown, pending }: ResolvedList): boolean {
  return unknown.length === 0 && pending.length === 0;
}

function touches(onChanged: Resolver, name: string, now: Catalog): boolean {
  const resolution = onChanged.resolve(name);
  if (resolution.kind !== "found") return false;
  return [resolution.meaning, ...resolution.others].some(
    ({ what, entries }) => what !== ALL_TOOLS && withoutSearch(entries, now).length > 0,
  );
}

function withoutSearch(entries: readonly Entry[], { search }: Catalog): readonly Entry[] {
  return entries.filter((entry) => entry !== search);
}
