import type { Sourced } from "../codes/origin.ts";
import type { Entry } from "./entry.ts";
import type { NamedSet } from "./named-set.ts";
import type { Meaning } from "./resolver.ts";

/** What the member names of a set come to. */
export interface SetMembers {
  readonly entries: readonly Entry[];
  readonly unknown: readonly Sourced<string>[];
  /** Some member belongs to a server that has not listed its tools yet. */
  readonly pending: boolean;
}

/** The sets of a scene by id and by name, and their members. Sets may name each other, even in circles. */
export interface SetIndex {
  readonly sets: readonly NamedSet[];
  /** By id first, then by name (I1). A set that is being looked into is passed over: there its name means a tool. */
  find(name: string): readonly NamedSet[];
  members(set: NamedSet): SetMembers;
}

interface SetIndexInput {
  readonly sets: readonly NamedSet[];
  readonly known: ReadonlyMap<NamedSet, SetMembers>;
  readonly findMeaning: (name: string) => Meaning | undefined;
  readonly isPending: (name: string) => boolean;
}

/** Nobody nests sets deeper; what lies below counts as empty, so that circles and chains cost no more than they hold. */
const MAX_DEPTH = 16;
const MAX_EXPANSIONS = 20_000;

export function createSetIndex({ sets, known, findMeaning, isPending }: SetIndexInput): SetIndex {
  const byId = group(sets, ({ id }) => id);
  const byName = group(sets, ({ name }) => name);
  const expanded = new Map(known);
  const open = new Set<NamedSet>();
  let expansions = 0;
  /** Whether the set at work met one that was open, so that what it found holds only here. */
  let metOpen = false;

  const find = (name: string): readonly NamedSet[] => {
    const ids = byId.get(name) ?? [];
    const found = [...ids, ...(byName.get(name) ?? []).filter((set) => !ids.includes(set))];
    const usable = found.filter((set) => !open.has(set));
    if (usable.length < found.length) metOpen = true;
    return usable;
  };

  const members = (set: NamedSet): SetMembers => {
    const earlier = expanded.get(set);
    if (earlier !== undefined) return earlier;
    if (open.has(set) || open.size >= MAX_DEPTH || expansions >= MAX_EXPANSIONS) {
      metOpen = true;
      return EMPTY;
    }
    expansions += 1;
    open.add(set);
    const outer = metOpen;
    metOpen = false;
    const entries = new Set<Entry>();
    const unknown: Sourced<string>[] = [];
    let pending = false;
    for (const member of set.members.value) {
      const meaning = findMeaning(member.value);
      if (meaning !== undefined) for (const entry of meaning.entries) entries.add(entry);
      else if (isPending(member.value)) pending = true;
      else unknown.push(member);
    }
    open.delete(set);
    const found = { entries: [...entries], unknown, pending };
    if (!metOpen || open.size === 0) expanded.set(set, found);
    metOpen = metOpen || outer;
    return found;
  };

  return { sets, find, members };
}

const EMPTY: SetMembers = { entries: [], unknown: [], pending: false };

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
