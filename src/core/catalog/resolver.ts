import { nearestNames } from "../codes/nearest-name.ts";
import { isServed } from "../tool/tool.ts";
import type { CatalogTools } from "./catalog.ts";
import { isGlob, toGlob } from "./glob.ts";
import { ALL_TOOLS, type Meaning } from "./meaning.ts";
import { findById, findByName, findIn, indexNames, type NameIndex } from "./name-index.ts";
import type { NamedSet } from "./named-set.ts";
import { findInSets, findPendingServer, findQualified } from "./qualified-name.ts";
import { toServerFronts } from "./server-fronts.ts";
import { createSetIndex, type SetIndex, type SetMembers } from "./set-members.ts";

export type Resolution =
  | { readonly kind: "found"; readonly meaning: Meaning; readonly others: readonly Meaning[] }
  | { readonly kind: "pending"; readonly server: string }
  | { readonly kind: "unknown" };

/** The only code that decides what a name in any list means. Never throws, whatever the string. */
export interface Resolver {
  resolve(name: string): Resolution;
  /** Suggestions for an unknown name. Compares it with every known name, so ask sparingly. */
  nearest(name: string): readonly string[];
  /** The tools of a set, and the member names that match nothing. */
  members(set: NamedSet): SetMembers;
  readonly sets: readonly NamedSet[];
}

export interface ResolverInput {
  readonly catalog: CatalogTools;
  readonly sets?: readonly NamedSet[];
  /** Configured servers, including those that have not listed their tools yet. */
  readonly servers?: Iterable<string>;
  /** Sets whose members are known from a catalog that is the same in everything they name. */
  readonly knownMembers?: ReadonlyMap<NamedSet, SetMembers>;
}

export function createResolver({
  catalog,
  sets = [],
  servers = [],
  knownMembers = new Map(),
}: ResolverInput): Resolver {
  const hasOff = catalog.entries.some(({ off }) => off);
  const names = new Set(servers);
  const configured = { names, fronts: toServerFronts(names) };
  const resolutions = new Map<string, Resolution>();
  const pendingServer = (name: string): string | null => findPendingServer(name, configured, indexNames(catalog));

  /** Without sets: for names inside a set, where the expansion of sets looks up other sets itself. */
  const findMeanings = (name: string, setIndex: SetIndex | null): readonly Meaning[] => {
    const index = indexNames(catalog);
    const found: Meaning[] = setIndex === null ? [] : [...findSets(name, setIndex)];
    const qualified = findQualified(name, index, setIndex);
    found.push(
      ...(isGlob(name) ? [...qualified, ...findByPattern(index, name)] : [...findTools(index, name), ...qualified]),
    );
    const server = index.servers.get(name);
    if (server !== undefined) found.push({ what: `server ${name}`, entries: server.entries, explicit: false });
    return hasOff ? preferOn(found) : found;
  };
  const setIndex = createSetIndex({
    sets,
    known: knownMembers,
    findMeaning: (name) => findMeanings(name, null)[0],
    isPending: (name) => pendingServer(name) !== null,
  });

  const only = (isWeak: boolean): SetIndex => ({
    ...setIndex,
    find: (name) => setIndex.find(name).filter((set) => (set.weak === true) === isWeak),
  });
  const [strong, weak] = [only(false), only(true)];
  const hasWeak = sets.some((set) => set.weak === true);

  const resolve = (name: string): Resolution => {
    const own = findMeanings(name, strong);
    const server = own.length > 0 ? null : pendingServer(name);
    if (server !== null) return { kind: "pending", server };
    const late = hasWeak ? [...findSets(name, weak), ...findInSets(name, weak)] : [];
    const [meaning, ...others] = [...own, ...late.map((one) => ({ ...one, weak: true as const }))];
    if (meaning === undefined) return { kind: "unknown" };
    return { kind: "found", meaning, others: others.filter((other) => !isSameMeaning(meaning, other)) };
  };

  return {
    sets,
    members: setIndex.members,
    resolve(name) {
      const known = resolutions.get(name) ?? resolve(name);
      resolutions.set(name, known);
      return known;
    },
    nearest: (name) => nearestNames(name, knownNames(indexNames(catalog), sets, names)),
  };
}

/** Built-ins that are off own no name: they are meant only if nothing else has the name. */
function preferOn(meanings: readonly Meaning[]): readonly Meaning[] {
  const on = meanings.flatMap((meaning) => {
    const entries = meaning.entries.filter(({ off }) => !off);
    if (entries.length === 0 && meaning.entries.length > 0) return [];
    return [meaning.explicit ? { ...meaning, entries } : meaning];
  });
  return on.length === 0 ? meanings : on;
}

function findSets(name: string, index: SetIndex): readonly Meaning[] {
  return index
    .find(name)
    .map((set) => ({ what: `toolset ${set.name}`, entries: index.members(set).entries, explicit: false }));
}

/** Tool id, wire or reference name, alias, a server's own name: in this order (I1). */
function findTools(index: NameIndex, name: string): readonly Meaning[] {
  const kinds = [
    ["tool id", findById(index, name)],
    ["tool name", findByName(index, name)],
    ["alias", findIn(index.byAlias, name)],
    ["a server's own name", index.findOwn(name)],
  ] as const;
  return kinds.flatMap(([what, entries]) => (entries.length === 0 ? [] : [{ what, entries, explicit: true }]));
}

/** `*` alone, or a pattern over whole names. Ids and names count as one kind here, so that neither hides the other. */
function findByPattern(index: NameIndex, pattern: string): readonly Meaning[] {
  if (pattern === "*") return [{ what: ALL_TOOLS, entries: index.all, explicit: false }];
  if (pattern.includes(":")) return [];
  if (pattern.includes("/")) return findAcrossServers(index, pattern);
  const matches = toGlob(pattern);
  const named = index.all.filter(
    ({ tool, id, wireName }) => matches(wireName) || matches(id) || (!isServed(tool) && matches(tool.name)),
  );
  const aliased = index.all.filter(({ tool }) => tool.aliases.some(matches));
  const own = index.all.filter(({ tool }) => isServed(tool) && matches(tool.name));
  return [named, aliased, own]
    .filter((entries) => entries.length > 0)
    .map((entries) => ({ what: "tools by pattern", entries, explicit: false }));
}

/** `*` instead of a server or within its name: the tools of all matching servers. */
function findAcrossServers({ all }: NameIndex, pattern: string): readonly Meaning[] {
  const slash = pattern.indexOf("/");
  const [server, tool] = [pattern.slice(0, slash), pattern.slice(slash + 1)];
  if (!isGlob(server)) return [];
  const [fitsServer, fitsTool] = [toGlob(server), toGlob(tool)];
  const entries = all.filter(
    (entry) =>
      isServed(entry.tool) && entry.tool.server !== null && fitsServer(entry.tool.server) && fitsTool(entry.tool.name),
  );
  return entries.length === 0 ? [] : [{ what: "tools by pattern", entries, explicit: false }];
}

/** A second way to reach the same tools is no second meaning, unless one of them is a whole set. */
function isSameMeaning(first: Meaning, other: Meaning): boolean {
  if (first.explicit !== other.explicit) return false;
  const reached = new Set(first.entries);
  return other.entries.every((entry) => reached.has(entry));
}

function* knownNames(index: NameIndex, sets: readonly NamedSet[], servers: ReadonlySet<string>): Iterable<string> {
  for (const set of sets) yield* [set.name, set.id];
  for (const { id, wireName, tool } of index.all) {
    yield id;
    if (wireName !== id) yield wireName;
    if (tool.name !== id && tool.name !== wireName) yield tool.name;
    yield* tool.aliases;
  }
  yield* index.servers.keys();
  yield* servers;
}
