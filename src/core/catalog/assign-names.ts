import type { Tool } from "../tool/tool.ts";
import { claimName, type NameClaim, toIdentity, type WireStyle, withHash } from "./wire-name.ts";

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
  const open = claims.filter(({ name, identity }) => issued.get(name) !== identity);
  if (open.length === 0) return { names: claims.map(({ name }) => name), issued };
  const holders = new Map(issued);
  settle(open, holders);
  const names = claims.map(({ name, identity }) => (holders.get(name) === identity ? name : null));
  if (names.includes(null)) nameLosers(tools, claims, names, holders);
  return { names: names.map((name) => name ?? ""), issued: holders };
}

/** Hands each free name to the claim with the best right: a legal one, then the first in catalog order. */
function settle(open: readonly NameClaim[], holders: Map<string, string>): void {
  const contested = new Set<string>();
  const wanted = new Map<string, NameClaim>();
  for (const claim of open) {
    const rival = wanted.get(claim.name);
    if (rival !== undefined && rival.identity !== claim.identity) contested.add(claim.name);
    if (rival === undefined || (claim.legal && !rival.legal)) wanted.set(claim.name, claim);
  }
  for (const [name, { identity, legal }] of wanted) {
    if (!holders.has(name) && (legal || !contested.has(name))) holders.set(name, identity);
  }
}

/** Whoever did not get the name it claimed keeps the one it holds already, or gets a new one with a hash. */
function nameLosers(
  tools: readonly Tool[],
  claims: readonly NameClaim[],
  names: (string | null)[],
  holders: Map<string, string>,
): void {
  const held = new Map<string, string>();
  for (const [name, identity] of holders) held.set(identity, name);
  claims.forEach(({ name: wanted, identity }, at) => {
    if (names[at] !== null) return;
    const tool = tools[at] as Tool; // One claim was made for each tool.
    const name = held.get(identity) ?? findFreeName(wanted, toIdentity(tool), holders);
    holders.set(name, identity);
    held.set(identity, name);
    names[at] = name;
  });
}

function findFreeName(cleaned: string, identity: string, holders: ReadonlyMap<string, string>): string {
  for (let attempt = 0; ; attempt++) {
    const name = withHash(cleaned, identity, attempt);
    if (!holders.has(name)) return name;
  }
}
