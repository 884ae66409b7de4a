import { hash } from "node:crypto";
import { inspectTool } from "../tool/inspect-tool.ts";
import type { Tool } from "../tool/tool.ts";
import { assignNames, type IssuedNames } from "./assign-names.ts";
import { compareBytes } from "./byte-order.ts";
import { byCatalogOrder, byWireOrder, type Candidate, inPreviousOrder } from "./catalog-order.ts";
import type { Entry } from "./entry.ts";
import { findLookAlikes, type Looks, toLooks } from "./look-alikes.ts";
import { findOwners } from "./name-owners.ts";
import { SEARCH_NAME, SEARCH_TOOL } from "./search-tool.ts";
import { toIdentity, type WireStyle } from "./wire-name.ts";

/** Every candidate of every source, frozen, in cache-stable order (C1), with a hash over names and signatures (C3). */
export interface Catalog {
  readonly entries: readonly Entry[];
  readonly hash: string;
  /** `tool_search`: behind the entries, outside the hash, there only while something is deferred. */
  readonly search: Entry;
  readonly style: WireStyle;
  readonly issued: IssuedNames;
}

export interface CatalogOptions {
  readonly style?: WireStyle;
  /** The catalog this one follows in the same session: its wire names stay given out, its unchanged entries are reused. */
  readonly previous?: Catalog | null;
}

/** Throws `tool.name-conflict` when an external tool takes a built-in's name without saying so (N5). */
export function buildCatalog(
  tools: readonly Tool[],
  { style = "server__tool", previous = null }: CatalogOptions = {},
): Catalog {
  const arrived: Candidate[] = [];
  let searchTool = SEARCH_TOOL;
  tools.forEach((tool, arrival) => {
    if (tool.source === "builtin" && tool.name === SEARCH_NAME) searchTool = tool;
    else arrived.push({ tool, arrival, wireName: "" });
  });
  const named = nameCandidates(inPreviousOrder(arrived, previous?.entries ?? []), style, previous);
  const candidates = named.candidates.sort(byWireOrder);
  const ordered = candidates.map(({ tool }) => tool);
  const looks = ordered.map(looksOf);
  const servers = new Set(
    ordered.flatMap(({ server, source }) => (source === "mcp" && server !== null ? [server] : [])),
  );
  const lookAlikes = findLookAlikes(ordered, looks, servers);
  const owners = findOwners(candidates);
  const reusable = new Map(previous?.entries.map((entry) => [entry.tool, entry]));
  const entries = candidates.map(({ tool, wireName }, at) =>
    toEntry({ tool, wireName, nameOwner: owners[at] ?? null, lookAlikeOf: lookAlikes[at] ?? null }, reusable),
  );
  const search = toEntry(
    { tool: searchTool, wireName: SEARCH_NAME, nameOwner: null, lookAlikeOf: null },
    new Map(previous ? [[previous.search.tool, previous.search]] : []),
  );
  return { entries, hash: hashOf(entries), search, style, issued: named.issued };
}

function nameCandidates(
  candidates: Candidate[],
  style: WireStyle,
  previous: Catalog | null,
): { candidates: Candidate[]; issued: IssuedNames } {
  const sorted = candidates.sort(byCatalogOrder);
  const issued =
    previous !== null && previous.style === style ? previous.issued : new Map([[SEARCH_NAME, SEARCH_NAME]]);
  const assignment = assignNames(
    sorted.map(({ tool }) => tool),
    style,
    issued,
  );
  return {
    candidates: sorted.map((candidate, at) => ({ ...candidate, wireName: assignment.names[at] ?? "" })),
    issued: assignment.issued,
  };
}

type Findings = Pick<Entry, "tool" | "wireName" | "nameOwner" | "lookAlikeOf">;

/** An entry about which nothing changed stays the same object, so that whatever was worked out for it holds. */
function toEntry(found: Findings, reusable: ReadonlyMap<Tool, Entry>): Entry {
  const earlier = reusable.get(found.tool);
  if (
    earlier !== undefined &&
    earlier.wireName === found.wireName &&
    earlier.nameOwner === found.nameOwner &&
    earlier.lookAlikeOf === found.lookAlikeOf
  )
    return earlier;
  const { tool, wireName, nameOwner, lookAlikeOf } = found;
  const identity = toIdentity(tool);
  const { signature, tokens, flaws } = inspectTool(tool);
  return { tool, identity, id: tool.id ?? identity, wireName, nameOwner, lookAlikeOf, signature, tokens, flaws };
}

/** Tools are immutable, so how a name looks is worked out once. */
const knownLooks = new WeakMap<Tool, Looks>();

function looksOf(tool: Tool): Looks {
  const known = knownLooks.get(tool);
  if (known !== undefined) return known;
  const looks = toLooks(tool.name);
  knownLooks.set(tool, looks);
  return looks;
}

function hashOf(entries: readonly Entry[]): string {
  const lines = entries.map(({ wireName, signature }) => `${wireName} ${signature}`).sort(compareBytes);
  return hash("sha256", lines.join("\n"));
}
