import { hash } from "node:crypto";
import { isBuiltin, type Tool } from "../tool/tool.ts";
import { type Arrivals, NOWHERE } from "./arrivals.ts";
import { giveNames, type IssuedNames, NO_NAMES } from "./assign-names.ts";
import { type Candidate, inOrder, toCandidate } from "./catalog-order.ts";
import { CODE_NAME, CODE_TOOL } from "./code-tool.ts";
import { findContinued } from "./continued-text.ts";
import { type Entry, type Neighbours, settleEntry } from "./entry.ts";
import { findLookAlikes, spellableServers } from "./look-alikes.ts";
import { findOwners } from "./name-owners.ts";
import { type Entries, nextEntries, type Terms } from "./next-entries.ts";
import { SEARCH_NAME, SEARCH_TOOL } from "./search-tool.ts";
import { findToldAbout } from "./told-about.ts";
import { toClaimant, type WireStyle } from "./wire-name.ts";

/** Every candidate of every source, frozen, in cache-stable order, with a hash over names and signatures. */
export interface Catalog {
  readonly entries: readonly Entry[];
  readonly hash: string;
  /** `tool_search`: after the entries, not in the hash, present only while some tool is deferred. */
  readonly search: Entry;
  /** `run_code`: likewise, present only while tools are called from code. */
  readonly code: Entry;
  readonly style: WireStyle;
  readonly issued: IssuedNames;
}

/** What of a catalog the meaning of names depends on. */
export type CatalogTools = Pick<Catalog, "entries" | "search" | "code" | "style">;

export interface CatalogOptions {
  readonly style?: WireStyle;
  /** The session's previous catalog: its wire names stay issued, its unchanged entries are reused. */
  readonly previous?: Catalog | null;
  /** Configured servers. They own their names even before they have listed a tool. */
  readonly servers?: Iterable<string>;
  /** Built-ins that are off: they stay in the catalog and own no name. By default none. */
  readonly isOff?: (tool: Tool) => boolean;
}

/** Throws `tool.name-conflict` when an external tool takes a built-in's name without saying so. */
export function buildCatalog(
  tools: readonly Tool[],
  { style = "server__tool", previous = null, servers = [], isOff = () => false }: CatalogOptions = {},
): Catalog {
  const search = tools.find(isSearchTool) ?? SEARCH_TOOL;
  const terms: Terms = { style, isOff, search, servers: [...servers] };
  const made = (previous === null ? null : fromPrevious(tools, previous, terms)) ?? toEntries(tools, previous, terms);
  const { entries, issued } = made;
  let hashed: string | null = null;
  const catalog: Catalog = {
    ...{ entries, style, issued },
    search: toFinder(search, SEARCH_NAME, style, previous?.search),
    code: toFinder(CODE_TOOL, CODE_NAME, style, previous?.code),
    get hash() {
      hashed ??= hashOf(entries);
      return hashed;
    },
  };
  arrivalsOf.set(catalog, made.arrivals);
  return catalog;
}

const arrivalsOf = new WeakMap<Catalog, Arrivals>();

/** Null if too much is different. */
function fromPrevious(tools: readonly Tool[], previous: Catalog, terms: Terms): Entries | null {
  const known = arrivalsOf.get(previous);
  if (known === undefined || previous.style !== terms.style || previous.search.tool !== terms.search) return null;
  return nextEntries(tools, previous, known, terms);
}

/** Without looking at what stayed the same, except that unchanged entries stay the same objects. */
function toEntries(tools: readonly Tool[], previous: Catalog | null, terms: Terms): Entries {
  const known = new Map(previous?.entries.map((entry) => [entry.tool, entry]));
  const arrived: Candidate[] = [];
  for (const [arrival, tool] of tools.entries())
    if (tool !== terms.search) arrived.push(toCandidate(tool, arrival, terms, known.get(tool)));
  const claiming = inOrder(arrived, ({ tool }) => tool.name);
  const issued = giveNames(claiming, previous?.issued ?? FINDERS_ISSUED);
  const candidates = inOrder(claiming);
  const servers = spellableServers(candidates, terms.servers);
  const lookAlikes = findLookAlikes(candidates, servers, terms.search);
  const owners = findOwners(candidates, terms.search !== SEARCH_TOOL);
  const told = findToldAbout(candidates);
  const continued = findContinued(candidates);
  const entries = candidates.map((candidate, at) =>
    settleEntry(candidate, {
      nameOwner: owners[at] ?? null,
      lookAlikeOf: lookAlikes[at] ?? null,
      toldAbout: told.get(candidate.tool) ?? null,
      continued: continued.get(candidate.tool) ?? null,
    }),
  );
  const positions = new Int32Array(tools.length).fill(NOWHERE);
  for (const [at, { arrival }] of candidates.entries()) positions[arrival] = at;
  return { entries, issued, arrivals: { tools: [...tools], positions, servers } };
}

const FINDERS_ISSUED: IssuedNames = {
  ...NO_NAMES,
  recent: new Map([
    [SEARCH_NAME, toClaimant(SEARCH_TOOL)],
    [CODE_NAME, toClaimant(CODE_TOOL)],
  ]),
};

function isSearchTool({ source, name }: Tool): boolean {
  return name === SEARCH_NAME && isBuiltin({ source });
}

/** The entry of a tool that gives access to others. */
function toFinder(tool: Tool, wireName: string, style: WireStyle, previous: Entry | undefined): Entry {
  if (previous?.tool === tool && previous.claim.style === style) return previous;
  const candidate = toCandidate(tool, 0, { style, isOff: () => false }, undefined);
  return settleEntry({ ...candidate, wireName }, ALONE);
}

const ALONE: Neighbours = { nameOwner: null, lookAlikeOf: null, toldAbout: null, continued: null };

/** Sorted by name. The catalog's own order consists of a few sorted runs, so this is quick (C3). */
function hashOf(entries: readonly Entry[]): string {
  const sorted = [...entries].sort(
    (left, right) => compare(left.wireName, right.wireName) || compare(left.signature, right.signature),
  );
  return hash("sha256", sorted.map(({ wireName, signature }) => `${wireName} ${signature}`).join("\n"));
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
