import { hash } from "node:crypto";
import { isBuiltin, type Tool } from "../tool/tool.ts";
import { assignNames, type IssuedNames, NO_NAMES } from "./assign-names.ts";
import { byCatalogOrder, byWireOrder, type Candidate, inPreviousOrder, toCandidates } from "./catalog-order.ts";
import { CODE_NAME, CODE_TOOL } from "./code-tool.ts";
import { findContinued } from "./continued-text.ts";
import { CatalogEntry, type Entry, type Neighbours } from "./entry.ts";
import { findLookAlikes } from "./look-alikes.ts";
import { findOwners } from "./name-owners.ts";
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
  { style = "server__tool", previous = null, servers = [], isOff }: CatalogOptions = {},
): Catalog {
  const searchTool = tools.find(isSearchTool) ?? SEARCH_TOOL;
  const known = previous?.entries ?? [];
  const arrived = toCandidates(
    tools.filter((tool) => tool !== searchTool),
    style,
    known,
    isOff,
  );
  const candidates = inPreviousOrder(arrived, known.length).sort(byCatalogOrder);
  const claiming = candidates.filter(({ off }) => !off);
  const { names, issued } = assignNames(
    claiming.map(({ claim }) => claim),
    previous?.issued ?? FINDERS_ISSUED,
  );
  for (const candidate of candidates) candidate.wireName = candidate.claim.name;
  claiming.forEach((candidate, at) => {
    candidate.wireName = names[at] ?? "";
  });
  candidates.sort(byWireOrder);
  const lookAlikes = findLookAlikes(candidates, servers, searchTool);
  const owners = findOwners(candidates, searchTool !== SEARCH_TOOL);
  const told = findToldAbout(candidates);
  const continued = findContinued(candidates);
  const entries = candidates.map((candidate, at) =>
    toEntry(candidate, {
      nameOwner: owners[at] ?? null,
      lookAlikeOf: lookAlikes[at] ?? null,
      toldAbout: told.get(candidate.tool) ?? null,
      continued: continued.get(candidate.tool) ?? null,
    }),
  );
  const search = toFinder(searchTool, SEARCH_NAME, style, previous?.search);
  const code = toFinder(CODE_TOOL, CODE_NAME, style, previous?.code);
  let hashed: string | null = null;
  return {
    ...{ entries, search, code, style, issued },
    get hash() {
      hashed ??= hashOf(entries);
      return hashed;
    },
  };
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
  const [candidate] = toCandidates([tool], style, previous === undefined ? [] : [previous]);
  if (candidate === undefined) throw new Error("one tool makes one candidate");
  return toEntry({ ...candidate, wireName }, ALONE);
}

const ALONE: Neighbours = { nameOwner: null, lookAlikeOf: null, toldAbout: null, continued: null };

/** An unchanged entry stays the same object, so that everything cached for it remains valid. */
function toEntry(candidate: Candidate, neighbours: Neighbours): Entry {
  const { wireName, claim, off, earlier } = candidate;
  const named = earlier?.wireName === wireName && earlier.claim === claim;
  const owned =
    earlier?.nameOwner === neighbours.nameOwner &&
    earlier.lookAlikeOf === neighbours.lookAlikeOf &&
    earlier.toldAbout?.identity === neighbours.toldAbout?.identity &&
    earlier.continued?.text === neighbours.continued?.text;
  if (earlier !== undefined && named && owned && earlier.off === off) return earlier;
  return new CatalogEntry(candidate, neighbours);
}

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
