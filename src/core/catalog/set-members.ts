import type { Sourced } from "../codes/origin.ts";
import type { Entry } from "./entry.ts";
import { isGlob, toGlob } from "./glob.ts";
import type { Meaning } from "./meaning.ts";
import type { NamedSet } from "./named-set.ts";

/** The tools that the member names of a set mean. */
export interface SetMembers {
  readonly entries: readonly Entry[];
  readonly unknown: readonly Sourced<string>[];
  /** Some member belongs to a server that has not listed its tools yet. */
  readonly pending: boolean;
}

/** The sets of a scene by id and by name, and their members. */
export interface SetIndex {
  readonly sets: readonly NamedSet[];
  /** By id first, then by name. */
  find(name: string): readonly NamedSet[];
  members(set: NamedSet): SetMembers;
}

interface SetIndexInput {
  readonly sets: readonly NamedSet[];
  readonly known: ReadonlyMap<NamedSet, SetMembers>;
  /** The meaning of a name that is not a set's. */
  readonly findMeaning: (name: string) => Meaning | undefined;
  readonly isPending: (name: string) => boolean;
}

export function createSetIndex({ sets, known, findMeaning, isPending }: SetIndexInput): SetIndex {
  const byId = group(sets, ({ id }) => id);
  const byName = group(sets, ({ name }) => name);
  let expanded: ReadonlyMap<NamedSet, SetMembers> | null = null;

  const find = (name: string): readonly NamedSet[] => {
    const ids = byId.get(name) ?? [];
    return [...ids, ...(byName.get(name) ?? []).filter((set) => !ids.includes(set))];
  };
  const members = (set: NamedSet): SetMembers => {
    const earlier = known.get(set);
    if (earlier !== undefined) return earlier;
    expanded ??= expandAll(sets, known, (name, own) => readMember(name, own, find, findMeaning, isPending));
    return expanded.get(set) ?? NOTHING;
  };
  return { sets, find, members };
}

const NOTHING: SetMembers = { entries: [], unknown: [], pending: false };

/** Where the tools of one member come from: tools directly, or another set, whole or filtered. */
type Member =
  | { readonly from: "tools"; readonly entries: readonly Entry[] }
  | {
      readonly from: "set";
      readonly set: NamedSet;
      readonly matches: ((entry: Entry) => boolean) | null;
      readonly otherwise: Meaning | undefined;
    }
  | { readonly from: "pending" }
  | { readonly from: "nowhere" };

function readMember(
  name: string,
  own: NamedSet,
  find: SetIndex["find"],
  findMeaning: SetIndexInput["findMeaning"],
  isPending: SetIndexInput["isPending"],
): Member {
  // Inside a set, its own name means the tool of that name.
  const set = find(name).find((candidate) => candidate !== own);
  if (set !== undefined) return { from: "set", set, matches: null, otherwise: undefined };
  const meaning = findMeaning(name);
  const qualified = splitSet(name, find);
  if (qualified !== null && (meaning === undefined || isGlob(name)))
    return { from: "set", ...qualified, otherwise: meaning };
  if (meaning !== undefined) return { from: "tools", entries: meaning.entries };
  return { from: isPending(name) ? "pending" : "nowhere" };
}

/** No honest name has more slashes; searching further would only help an attacker who wants it slow. */
const MAX_SLASHES = 32;

/** `set/tool` or `set/pattern`. */
export function splitSet(
  name: string,
  find: SetIndex["find"],
): { readonly set: NamedSet; readonly matches: ((entry: Entry) => boolean) | null } | null {
  let slash = name.indexOf("/");
  for (let tries = 0; slash !== -1 && tries < MAX_SLASHES; tries++, slash = name.indexOf("/", slash + 1)) {
    const [set] = find(name.slice(0, slash));
    const rest = name.slice(slash + 1);
    if (set !== undefined) return { set, matches: rest === "*" ? null : toMatcher(rest) };
  }
  return null;
}

function toMatcher(rest: string): (entry: Entry) => boolean {
  const matches = isGlob(rest) ? toGlob(rest) : (text: string) => text === rest;
  return ({ tool, id, wireName }) =>
    matches(id) || matches(wireName) || matches(tool.name) || tool.aliases.some(matches);
}

interface Growing {
  readonly entries: Set<Entry>;
  readonly members: readonly { readonly name: Sourced<string>; readonly member: Member }[];
}

/**
 * Sets may name each other, in chains and in circles. Tools are passed from set to set until nothing is new, so that
 * neither depth nor order decides what a set contains.
 */
function expandAll(
  sets: readonly NamedSet[],
  known: ReadonlyMap<NamedSet, SetMembers>,
  read: (name: string, own: NamedSet) => Member,
): ReadonlyMap<NamedSet, SetMembers> {
  const growing = new Map<NamedSet, Growing>();
  const takers = new Map<
    NamedSet,
    { readonly taker: NamedSet; readonly matches: ((entry: Entry) => boolean) | null }[]
  >();
  const news: [NamedSet, readonly Entry[]][] = [];
  for (const set of sets) {
    const members = known.has(set) ? [] : set.members.value.map((name) => ({ name, member: read(name.value, set) }));
    growing.set(set, { entries: new Set(), members });
    news.push([set, known.get(set)?.entries ?? []]);
    for (const { member } of members) {
      if (member.from === "tools") news.push([set, member.entries]);
      if (member.from !== "set") continue;
      const known = takers.get(member.set) ?? [];
      known.push({ taker: set, matches: member.matches });
      takers.set(member.set, known);
    }
  }
  spread(news, growing, takers);
  for (const [set, { members }] of growing) {
    for (const { member } of members)
      if (member.from === "set" && member.otherwise !== undefined && !gives(member, growing))
        spread([[set, member.otherwise.entries]], growing, takers);
  }
  return new Map([...growing].map(([set, grown]) => [set, toMembers(grown, growing)]));
}

function spread(
  news: [NamedSet, readonly Entry[]][],
  growing: ReadonlyMap<NamedSet, Growing>,
  takers: ReadonlyMap<
    NamedSet,
    readonly { readonly taker: NamedSet; readonly matches: ((entry: Entry) => boolean) | null }[]
  >,
): void {
  for (let next = news.pop(); next !== undefined; next = news.pop()) {
    const [set, entries] = next;
    const own = growing.get(set)?.entries;
    const fresh = own === undefined ? [] : entries.filter((entry) => !own.has(entry));
    if (own === undefined || fresh.length === 0) continue;
    for (const entry of fresh) own.add(entry);
    for (const { taker, matches } of takers.get(set) ?? [])
      news.push([taker, matches === null ? fresh : fresh.filter(matches)]);
  }
}

function gives({ set, matches }: Extract<Member, { from: "set" }>, growing: ReadonlyMap<NamedSet, Growing>): boolean {
  const entries = growing.get(set)?.entries;
  return entries !== undefined && (matches === null || [...entries].some(matches));
}

function toMembers({ entries, members }: Growing, growing: ReadonlyMap<NamedSet, Growing>): SetMembers {
  const isUnknown = (member: Member): boolean =>
    member.from === "nowhere" || (member.from === "set" && member.otherwise === undefined && !gives(member, growing));
  return {
    entries: [...entries],
    unknown: members.filter(({ member }) => isUnknown(member)).map(({ name }) => name),
    pending: members.some(({ member }) => member.from === "pending"),
  };
}

function group(sets: readonly NamedSet[], keyOf: (set: NamedSet) => string): ReadonlyMap<string, readonly NamedSet[]> {
  const groups = new Map<string, NamedSet[]>();
  for (const set of sets) {
    const key = keyOf(set);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [set]);
    else known.push(set);
  }
  return groups;
}
