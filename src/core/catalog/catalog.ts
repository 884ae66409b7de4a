import { hash } from "node:crypto";
import { inspectTool } from "../tool/inspect-tool.ts";
import type { Tool } from "../tool/tool.ts";
import { assignNames, type IssuedNames } from "./assign-names.ts";
import { byCatalogOrder, byWireOrder, type Candidate, inPreviousOrder, toCandidates } from "./catalog-order.ts";
import type { Entry } from "./entry.ts";
import { findLookAlikes } from "./look-alikes.ts";
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
  const searchTool = tools.findLast(isSearchTool) ?? SEARCH_TOOL;
  const places = placesOf(previous);
  const candidates = inPreviousOrder(toCandidates(tools.filter((tool) => !isSearchTool(tool))), places);
  const issued = nameCandidates(candidates, style, previous);
  candidates.sort(byWireOrder);
  const ordered = candidates.map(({ tool }) => tool);
  const lookAlikes = findLookAlikes(ordered);
  const owners = findOwners(candidates);
  const entries = candidates.map(({ tool, wireName }, at) => {
    const place = places.get(tool);
    const earlier = place === undefined ? undefined : previous?.entries[place];
    return toEntry({ tool, wireName, nameOwner: owners[at] ?? null, lookAlikeOf: lookAlikes[at] ?? null }, earlier);
  });
  const search = toEntry(
    { tool: searchTool, wireName: SEARCH_NAME, nameOwner: null, lookAlikeOf: null },
    previous?.search,
  );
  return { entries, hash: hashOf(entries), search, style, issued };
}

function isSearchTool({ source, name }: Tool): boolean {
  return name === SEARCH_NAME && source === "builtin";
}

function placesOf(catalog: Catalog | null): ReadonlyMap<Tool, number> {
  return new Map(catalog?.entries.map(({ tool }, place) => [tool, place]));
}

function nameCandidates(candidates: Candidate[], style: WireStyle, previous: Catalog | null): IssuedNames {
  candidates.sort(byCatalogOrder);
  const earlier =
    previous !== null && previous.style === style ? previous.issued : new Map([[SEARCH_NAME, SEARCH_NAME]]);
  const { names, issued } = assignNames(
    candidates.map(({ tool }) => tool),
    style,
    earlier,
  );
  candidates.forEach((candidate, at) => {
    candidate.wireName = names[at] ?? "";
  });
  return issued;
}

type Findings = Pick<Entry, "tool" | "wireName" | "nameOwner" | "lookAlikeOf">;

/** An entry about which nothing changed stays the same object, so that whatever was worked out for it holds. */
function toEntry(found: Findings, earlier: Entry | undefined): Entry {
  const { tool, wireName, nameOwner, lookAlikeOf } = found;
  if (
    earlier?.tool === tool &&
    earlier.wireName === wireName &&
    earlier.nameOwner === nameOwner &&
    earlier.lookAlikeOf === lookAlikeOf
  )
    return earlier;
  const identity = toIdentity(tool);
  const { signature, tokens, flaws } = inspectTool(tool);
  return { tool, identity, id: tool.id ?? identity, wireName, nameOwner, lookAlikeOf, signature, tokens, flaws };
}

/** Sorted by name; the catalog's own order consists of few sorted runs, so this is quick (C3). */
function hashOf(entries: readonly Entry[]): string {
  const sorted = [...entries].sort(
    (left, right) => compare(left.wireName, right.wireName) || compare(left.signature, right.signature),
  );
  return hash("sha256", sorted.map(({ wireName, signature }) => `${wireName} ${signature}`).join("\n"));
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
