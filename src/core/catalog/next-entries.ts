import type { Tool } from "../tool/tool.ts";
import { type Arrivals, matchArrivals, NOWHERE } from "./arrivals.ts";
import { giveNames, type IssuedNames } from "./assign-names.ts";
import { byPlace, type Candidate, inOrder, type Naming, toCandidate } from "./catalog-order.ts";
import { findContinued } from "./continued-text.ts";
import { type Entry, settleEntry } from "./entry.ts";
import { findLookAlikes, lookOf, maySpellServer, spellableServers } from "./look-alikes.ts";
import { findOwners } from "./name-owners.ts";
import { SEARCH_TOOL } from "./search-tool.ts";
import { findToldAbout } from "./told-about.ts";

/** What holds for all tools of a catalog, with its search tool and the configured servers. */
export interface Terms extends Naming {
  readonly search: Tool;
  readonly servers: readonly string[];
}

/** The entries of a catalog, and what the next one needs besides them. */
export interface Entries {
  readonly entries: readonly Entry[];
  readonly issued: IssuedNames;
  readonly arrivals: Arrivals;
}

type Before = Pick<Entries, "entries" | "issued">;
type Named = Entry | Candidate;

/**
 * The entries of a changed list, from those before: what stayed keeps its name and its place, and only tools that share
 * a name or a look with one that came or went are compared again. Null if most of the list is new.
 */
export function nextEntries(tools: readonly Tool[], before: Before, known: Arrivals, terms: Terms): Entries | null {
  const { arrivals, fresh } = matchArrivals(known, before.entries.length, tools);
  if (fresh.length * 2 > tools.length) return null;
  const { kept, placed, gone, issued } = split(tools, before, terms, arrivals, fresh);
  const { all, positions } = merge(kept, placed, arrivals, before.entries, tools.length);
  const servers = spellableServers(all, terms.servers);
  const spelling = isSameList([...servers], [...known.servers]) ? [] : all.filter(maySpellServer);
  const touched = [...placed, ...gone];
  const looks = new Set([...touched.flatMap(({ looks: own }) => [own.strict, own.loose]), ...spelling.map(lookOf)]);
  const names = new Set(touched.flatMap(({ wireName, claim }) => [wireName, claim.name]));
  const lookAlikes = compareLooks(all, looks, servers, terms.search);
  const owners = compareNames(all, names, terms.search);
  const told = findToldAbout(all);
  const continued = findContinued(all);
  const entries = all.map((one, at): Entry => {
    const isAsked = isCandidate(one) || one.remarks !== null || lookAlikes.has(at) || owners.has(at);
    if (!isAsked) return one;
    const candidate = isCandidate(one) ? one : toPlaced(one, NOWHERE, terms);
    const { tool, earlier } = candidate;
    return settleEntry(candidate, {
      nameOwner: (owners.has(at) ? owners.get(at) : earlier?.nameOwner) ?? null,
      lookAlikeOf: (lookAlikes.has(at) ? lookAlikes.get(at) : earlier?.lookAlikeOf) ?? null,
      toldAbout: told.get(tool) ?? null,
      continued: continued.get(tool) ?? null,
    });
  });
  return { entries, issued, arrivals: { tools: [...tools], positions, servers } };
}

interface Split {
  /** Positions of entries whose place among the others is known. */
  readonly kept: readonly number[];
  /** What joins, and namesakes, whose place depends on their arrival; in catalog order. */
  readonly placed: readonly Candidate[];
  /** Entries as they are no more. */
  readonly gone: readonly Entry[];
  readonly issued: IssuedNames;
}

function split(
  tools: readonly Tool[],
  { entries, issued: before }: Before,
  terms: Terms,
  arrivals: Int32Array,
  fresh: readonly number[],
): Split {
  const joining: Candidate[] = [];
  for (const at of fresh) {
    const tool = tools[at];
    if (tool !== undefined && tool !== terms.search) joining.push(toCandidate(tool, at, terms, undefined));
  }
  const gone: Entry[] = [];
  const staying: number[] = [];
  for (const [position, entry] of entries.entries()) {
    const arrival = arrivals[position] ?? NOWHERE;
    if (arrival !== NOWHERE && terms.isOff(entry.tool) === entry.off) {
      staying.push(position);
      continue;
    }
    gone.push(entry);
    if (arrival !== NOWHERE) joining.push(toCandidate(entry.tool, arrival, terms, entry));
  }
  const issued = giveNames(
    inOrder(joining, ({ tool }) => tool.name),
    before,
  );
  const given = new Set(joining.map(({ wireName }) => wireName));
  const kept: number[] = [];
  for (const position of staying) {
    const entry = entries[position] as Entry; // One of its positions.
    const { wireName } = entry;
    const isAlone =
      !given.has(wireName) &&
      entries[position - 1]?.wireName !== wireName &&
      entries[position + 1]?.wireName !== wireName;
    if (isAlone) kept.push(position);
    else joining.push(toPlaced(entry, arrivals[position] ?? NOWHERE, terms));
  }
  return { kept, placed: inOrder(joining), gone, issued };
}

function toPlaced(entry: Entry, arrival: number, terms: Terms): Candidate {
  return { ...toCandidate(entry.tool, arrival, terms, entry), wireName: entry.wireName };
}

function isCandidate(one: Named): one is Candidate {
  return "arrival" in one;
}

/** All in catalog order, and for each tool its position. */
function merge(
  kept: readonly number[],
  placed: readonly Candidate[],
  arrivals: Int32Array,
  entries: readonly Entry[],
  count: number,
): { readonly all: readonly Named[]; readonly positions: Int32Array } {
  const all: Named[] = [];
  const positions = new Int32Array(count).fill(NOWHERE);
  let next = 0;
  const keepUntil = (end: number): void => {
    for (; next < end; next++) {
      const position = kept[next] ?? NOWHERE;
      positions[arrivals[position] ?? NOWHERE] = all.length;
      all.push(entries[position] as Entry); // As above.
    }
  };
  for (const candidate of placed) {
    let [low, high] = [next, kept.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const entry = entries[kept[middle] ?? NOWHERE];
      if (entry !== undefined && byPlace(entry, candidate) < 0) low = middle + 1;
      else high = middle;
    }
    keepUntil(low);
    positions[candidate.arrival] = all.length;
    all.push(candidate);
  }
  keepUntil(kept.length);
  return { all, positions };
}

/** By position, whom tools with one of these looks could be taken for. */
function compareLooks(
  all: readonly Named[],
  looks: ReadonlySet<string>,
  servers: ReadonlySet<string | null>,
  search: Tool,
): ReadonlyMap<number, string | null> {
  const [some, places] = pick(all, ({ looks: { strict, loose } }) => looks.has(strict) || looks.has(loose));
  const found = findLookAlikes(some, servers, search);
  return toResults(some, places, found, (one) => looks.has(lookOf(one)));
}

/** By position, who owns the name of tools that were given, or claimed, one of these. */
function compareNames(
  all: readonly Named[],
  names: ReadonlySet<string>,
  search: Tool,
): ReadonlyMap<number, string | null> {
  const isAsked = ({ wireName, claim }: Named): boolean => names.has(wireName) || names.has(claim.name);
  const [asked] = pick(all, isAsked);
  const wider = new Set(asked.flatMap(({ wireName, claim }) => [wireName, claim.name]));
  const [some, places] = pick(all, ({ wireName, claim }) => wider.has(wireName) || wider.has(claim.name));
  return toResults(some, places, findOwners(some, search !== SEARCH_TOOL), isAsked);
}

function pick(all: readonly Named[], isWanted: (one: Named) => boolean): readonly [Named[], number[]] {
  const places: number[] = [];
  for (const [at, one] of all.entries()) if (isWanted(one)) places.push(at);
  return [places.map((at) => all[at] as Named), places]; // As above.
}

function toResults(
  some: readonly Named[],
  places: readonly number[],
  found: readonly (string | null)[],
  counts: (one: Named) => boolean,
): ReadonlyMap<number, string | null> {
  const results = new Map<number, string | null>();
  for (const [at, one] of some.entries()) if (counts(one)) results.set(places[at] ?? NOWHERE, found[at] ?? null);
  return results;
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((value, at) => value === other[at]);
}
