import type { Tool } from "../tool/tool.ts";
import { claimName, cleanName, type NameClaim, toIdentity, type WireStyle, withHash } from "./wire-name.ts";

/** Wire names given out so far in a session, with the identity that holds each; never handed to another (N1). */
export type IssuedNames = ReadonlyMap<string, string>;

export interface Assignment {
  /** Wire names, in the order of the tools. */
  readonly names: readonly string[];
  readonly issued: IssuedNames;
}

/** Gives every tool a wire name; names that meet only by cleaning, cutting or joining all stay (N1). */
export function assignNames(tools: readonly Tool[], style: WireStyle, issued: IssuedNames): Assignment {
  const claims = tools.map((tool) => claimName(tool, style));
  const holders = new Map(issued);
  const held = new Map<string, string>();
  for (const [name, identity] of issued) held.set(identity, name);

  const contested = settleUncontested(claims, holders, held);
  const names = claims.map((claim, at) => {
    if (!contested.has(claim.name)) return claim.name;
    const own = held.get(claim.identity);
    if (own !== undefined) return own;
    const tool = tools[at] as Tool; // One claim was made for each tool.
    const name = findFreeName(cleanName(claim.name), toIdentity(tool), claim.identity, holders);
    holders.set(name, claim.identity);
    held.set(claim.identity, name);
    return name;
  });
  return { names, issued: holders.size === issued.size ? issued : holders };
}

/** Hands each name to the claim with the best right; returns the names that more than one identity wants. */
function settleUncontested(
  claims: readonly NameClaim[],
  holders: Map<string, string>,
  held: Map<string, string>,
): ReadonlySet<string> {
  const contested = new Set<string>();
  const wanted = new Map<string, NameClaim>();
  for (const claim of claims) {
    const rival = wanted.get(claim.name);
    if (rival !== undefined && rival.identity !== claim.identity) contested.add(claim.name);
    if (rival === undefined || (claim.legal && !rival.legal)) wanted.set(claim.name, claim);
    const holder = holders.get(claim.name);
    if (holder !== undefined && holder !== claim.identity) contested.add(claim.name);
    if (held.has(claim.identity) && held.get(claim.identity) !== claim.name) contested.add(claim.name);
  }
  for (const [name, claim] of wanted) {
    if (holders.has(name) || held.has(claim.identity)) continue;
    if (contested.has(name) && !claim.legal) continue;
    holders.set(name, claim.identity);
    held.set(claim.identity, name);
  }
  return contested;
}

function findFreeName(cleaned: string, hashed: string, identity: string, holders: ReadonlyMap<string, string>): string {
  for (let attempt = 0; ; attempt++) {
    const name = withHash(cleaned, hashed, attempt);
    const holder = holders.get(name);
    if (holder === undefined || holder === identity) return name;
  }
}
