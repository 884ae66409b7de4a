import { nearestNames } from "../codes/nearest-name.ts";
import type { Catalog } from "./catalog.ts";
import type { Entry } from "./entry.ts";
import { isGlob, toGlob } from "./glob.ts";
import { findIn, indexNames, type NameIndex } from "./name-index.ts";
import type { NamedSet } from "./named-set.ts";
import { findPendingServer, findQualified } from "./qualified-name.ts";
import { splitServer, toServerFronts } from "./server-fronts.ts";

/** What a bare `*` means. */
export const ALL_TOOLS = "all tools";

/** One thing that a name can mean. */
export interface Meaning {
  readonly what: string;
  readonly entries: readonly Entry[];
  /** The name is a tool's own, not that of a set, a server or a pattern (I4). */
  readonly explicit: boolean;
}

export type Resolution =
  | { readonly kind: "found"; readonly meaning: Meaning; readonly others: readonly Meaning[] }
  | { readonly kind: "pending"; readonly server: string }
  | { readonly kind: "unknown"; readonly nearest: readonly string[] };

/** The one place that says what a name in any list means (section 4 of the semantics). Never throws, whatever the string. */
export interface Resolver {
  resolve(name: string): Resolution;
  /** The tools of a set, and the member names that mean nothing. */
  members(set: NamedSet): SetMembers;
  readonly sets: readonly NamedSet[];
}

export interface SetMembers {
  readonly entries: readonly Entry[];
  readonly unknown: readonly string[];
  /** Some member belongs to a server that has not listed its tools yet. */
  readonly pending: boolean;
}

export interface ResolverInput {
  readonly catalog: Catalog;
  readonly sets?: readonly NamedSet[];
  /** Configured servers, whether or not they have listed their tools yet. */
  readonly servers?: Iterable<string>;
  /** Sets whose members are known from a catalog that differs in nothing they name. */
  readonly knownMembers?: ReadonlyMap<NamedSet, SetMembers>;
}

/** Suggestions compare against every known name; beyond this many unknown names a list is not a typo. */
const MAX_SUGGESTIONS = 20;

export function createResolver({ catalog, sets = [], servers = [], knownMembers }: ResolverInput): Resolver {
  const names = new Set(servers);
  const configured = { names, fronts: toServerFronts(names) };
  const expanded = new Map(knownMembers);
  const expanding = new Set<NamedSet>();
  const meanings = new Map<string, readonly Meaning[]>();
  let suggestions = 0;

  const members = (set: NamedSet): SetMembers => {
    const known = expanded.get(set);
    if (known !== undefined) return known;
    expanding.add(set);
    const index = indexNames(catalog);
    const entries = new Set<Entry>();
    const unknown: string[] = [];
    let pending = false;
    for (const { value } of set.members.value) {
      const meaning = findMeanings(value)[0];
      if (meaning !== undefined) for (const entry of meaning.entries) entries.add(entry);
      else if (findPendingServer(value, configured, index) === null) unknown.push(value);
      else pending = true;
    }
    expanding.delete(set);
    const found = { entries: [...entries], unknown, pending };
    if (expanding.size === 0) expanded.set(set, found);
    return found;
  };

  const findMeanings = (name: string): readonly Meaning[] => {
    const index = indexNames(catalog);
    const usable = sets.filter((set) => !expanding.has(set));
    const found: Meaning[] = [];
    for (const set of findSets(usable, name))
      found.push({ what: `toolset ${set.name}`, entries: members(set).entries, explicit: false });
    const qualified = findQualified({ name, index, sets: usable, members });
    found.push(
      ...(isGlob(name) ? [...qualified, ...findByPattern(index, name)] : [...findTools(index, name), ...qualified]),
    );
    const server = index.servers.get(name);
    if (server !== undefined) found.push({ what: `server ${name}`, entries: server.entries, explicit: false });
    return found;
  };

  const resolve = (name: string): Resolution => {
    const index = indexNames(catalog);
    let found = meanings.get(name);
    if (found === undefined) {
      found = findMeanings(name);
      meanings.set(name, found);
    }
    const [meaning, ...others] = found;
    if (meaning !== undefined)
      return { kind: "found", meaning, others: others.filter((other) => !isSameMeaning(meaning, other)) };
    const server = findPendingServer(name, configured, index);
    if (server !== null) return { kind: "pending", server };
    suggestions += 1;
    return {
      kind: "unknown",
      nearest: suggestions > MAX_SUGGESTIONS ? [] : nearestNames(name, knownNames(index, sets, names)),
    };
  };

  return { resolve, members, sets };
}

function findSets(sets: readonly NamedSet[], name: string): readonly NamedSet[] {
  const byId = sets.filter((set) => set.id === name);
  return [...byId, ...sets.filter((set) => set.name === name && !byId.includes(set))];
}

/** Tool id, wire or reference name, alias, a server's own name: in this order (I1). */
function findTools(index: NameIndex, name: string): readonly Meaning[] {
  const withServer = splitServer(name, index.serverFronts).flatMap(({ server, rest }) => {
    const tools = index.servers.get(server);
    return tools === undefined || rest === null ? [] : findIn(tools.byName, rest);
  });
  const kinds = [
    ["tool id", [...findIn(index.byId, name), ...withServer.filter(({ identity }) => identity === name)]],
    ["tool name", [...findIn(index.byName, name), ...withServer.filter(({ wireName }) => wireName === name)]],
    ["alias", findIn(index.byAlias, name)],
    ["a server's own name", findIn(index.byOwnName, name)],
  ] as const;
  return kinds.flatMap(([what, entries]) =>
    entries.length === 0 ? [] : [{ what, entries: [...new Set(entries)], explicit: true }],
  );
}

/** `*` alone, or a pattern over whole names; ids and names count as one kind here, so that neither hides the other. */
function findByPattern(index: NameIndex, pattern: string): readonly Meaning[] {
  if (pattern === "*") return [{ what: ALL_TOOLS, entries: index.all, explicit: false }];
  if (pattern.includes("/") || pattern.includes(":")) return [];
  const matches = toGlob(pattern);
  const named = index.all.filter(
    ({ tool, id, wireName }) => matches(wireName) || matches(id) || (tool.source !== "mcp" && matches(tool.name)),
  );
  const aliased = index.all.filter(({ tool }) => tool.aliases.some(matches));
  const own = index.all.filter(({ tool }) => tool.source === "mcp" && matches(tool.name));
  return [named, aliased, own]
    .filter((entries) => entries.length > 0)
    .map((entries) => ({ what: "tools by pattern", entries, explicit: false }));
}

/** Another way to reach tools that the first meaning reaches anyway is no second meaning, unless one is a whole set. */
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
