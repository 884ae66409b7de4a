import { ToolcribError } from "../codes/toolcrib-error.ts";
import { isBuiltin, isRegistered, isServed, type Tool } from "../tool/tool.ts";
import type { Entry } from "./entry.ts";
import { SEARCH_NAME } from "./search-tool.ts";
import { toIdentity } from "./wire-name.ts";

/** A tool that claimed a name and was given one. */
type Named = Pick<Entry, "tool" | "claim" | "wireName" | "off">;

/**
 * For each candidate, in catalog order, the tool that owns its name instead, or null (N5 to N7). The first in the
 * catalog owns a name, unless an external tool openly overrides a built-in. A tool depends on those alone that were
 * given the name it was given or the one it claimed.
 */
export function findOwners(candidates: readonly Named[], searchIsListed: boolean): readonly (string | null)[] {
  const owners = findUnprefixedOwners(candidates);
  const holders = findHolders(candidates);
  let first: Named | null = null;
  return candidates.map((candidate) => {
    if (candidate.off) return null;
    const holder = holders.get(candidate.claim.name);
    if (holder !== undefined && isOutranked(candidate, holder)) return toOwner(candidate, holder);
    if (!isServed(candidate.tool)) {
      if (candidate.wireName === SEARCH_NAME) return ownedBySearch(candidate.tool, searchIsListed);
      return toOwner(candidate, owners.get(candidate.wireName) ?? candidate);
    }
    // A server's copies of one tool are adjacent, because no other tool is ever given their name.
    if (first?.wireName !== candidate.wireName) first = candidate;
    return toOwner(candidate, first);
  });
}

/**
 * Who owns a name that others claimed too. Tools of different servers whose names collide all stay (N1). A server's
 * tool and a tool without a server do not, when both have exactly that name: one spelling would mean either (N7).
 */
function findHolders(candidates: readonly Named[]): ReadonlyMap<string, Named> {
  const lost = new Set<string>();
  for (const { claim, wireName, off } of candidates) if (!off && claim.name !== wireName) lost.add(claim.name);
  if (lost.size === 0) return NOBODY;
  const holders = new Map<string, Named>();
  for (const candidate of candidates)
    if (!candidate.off && lost.has(candidate.wireName)) holders.set(candidate.wireName, candidate);
  return holders;
}

const NOBODY: ReadonlyMap<string, Named> = new Map();

function isOutranked({ tool, claim, wireName }: Named, holder: Named): boolean {
  const isPlain = claim.legal && holder.claim.legal && tool.rename === null;
  return isPlain && claim.name !== wireName && isServed(tool) !== isServed(holder.tool);
}

/** The search tool always keeps its name; without it, deferred tools would be unreachable (D3). */
function ownedBySearch(tool: Tool, searchIsListed: boolean): string {
  if (searchIsListed && isRegistered(tool) && !tool.overridesBuiltInTool) throw toConflict(tool);
  return `${SEARCH_NAME} (builtin)`;
}

function toOwner(candidate: Named, owner: Named): string | null {
  return owner === candidate ? null : `${toIdentity(owner.tool)} (${owner.tool.source})`;
}

function findUnprefixedOwners(candidates: readonly Named[]): ReadonlyMap<string, Named> {
  const owners = new Map<string, Named>();
  const settled = new Set<string>();
  for (const candidate of candidates) {
    if (isServed(candidate.tool) || candidate.off) continue;
    const first = owners.get(candidate.wireName);
    if (first === undefined) owners.set(candidate.wireName, candidate);
    else if (isRegistered(candidate.tool) && !settled.has(candidate.wireName)) {
      settled.add(candidate.wireName);
      if (!isBuiltin(first.tool)) continue;
      if (!candidate.tool.overridesBuiltInTool) throw toConflict(candidate.tool);
      owners.set(candidate.wireName, candidate);
    }
  }
  return owners;
}

function toConflict(tool: Tool): ToolcribError {
  const from = tool.owner === null ? "" : ` from ${tool.owner.kind} "${tool.owner.name}"`;
  return new ToolcribError(
    "tool.name-conflict",
    `external tool "${tool.name}"${from} has the name of a built-in; set overridesBuiltInTool: true to replace the built-in, or rename the tool`,
    { names: [tool.name], origin: { kind: "definition", of: tool.name } },
  );
}
