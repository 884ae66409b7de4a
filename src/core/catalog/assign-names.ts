import { type NameClaim, withHash } from "./wire-name.ts";

/**
 * Wire names given out so far in a session, with the claimant that holds each; never handed to another (N1).
 * In two layers, so that one new name does not copy ten thousand old ones.
 */
export interface IssuedNames {
  readonly old: ReadonlyMap<string, string>;
  readonly recent: ReadonlyMap<string, string>;
}

export const NO_NAMES: IssuedNames = { old: new Map(), recent: new Map() };

export function holderOf({ old, recent }: IssuedNames, name: string): string | undefined {
  return old.get(name) ?? recent.get(name);
}

export interface Assignment {
  /** Wire names, in the order of the claims. */
  readonly names: readonly string[];
  readonly issued: IssuedNames;
}

/** Gives every claimant a wire name; names that meet only by cleaning, cutting or joining all stay (N1). */
export function assignNames(claims: readonly NameClaim[], issued: IssuedNames): Assignment {
  const open = claims.filter(({ name, claimant }) => holderOf(issued, name) !== claimant);
  const names = claims.map(({ name }) => name);
  if (open.length === 0) return { names, issued };
  const recent = new Map(issued.recent);
  settle(open, issued, recent);
  const after = { old: issued.old, recent };
  if (open.some(({ name, claimant }) => holderOf(after, name) !== claimant)) nameLosers(claims, names, after, recent);
  return { names, issued: isSmall(after) ? after : { old: new Map([...issued.old, ...recent]), recent: new Map() } };
}

function isSmall({ old, recent }: IssuedNames): boolean {
  return recent.size * 4 < old.size;
}

/** Hands each free name to the claim with the best right: a legal one, then the first in catalog order. */
function settle(open: readonly NameClaim[], issued: IssuedNames, recent: Map<string, string>): void {
  const contested = new Set<string>();
  const wanted = new Map<string, NameClaim>();
  for (const claim of open) {
    const rival = wanted.get(claim.name);
    if (rival !== undefined && rival.claimant !== claim.claimant) contested.add(claim.name);
    if (rival === undefined || (claim.legal && !rival.legal)) wanted.set(claim.name, claim);
  }
  for (const [name, { claimant, legal }] of wanted) {
    if (holderOf(issued, name) === undefined && (legal || !contested.has(name))) recent.set(name, claimant);
  }
}

/** Whoever did not get the name it claimed keeps the one it holds already, or gets a new one with a hash. */
function nameLosers(
  claims: readonly NameClaim[],
  names: string[],
  issued: IssuedNames,
  recent: Map<string, string>,
): void {
  const held = new Map<string, string>();
  for (const [name, claimant] of [...issued.old, ...recent]) held.set(claimant, name);
  claims.forEach(({ name: wanted, claimant }, at) => {
    if (holderOf(issued, wanted) === claimant) return;
    const name = held.get(claimant) ?? findFreeName(wanted, claimant, issued);
    recent.set(name, claimant);
    held.set(claimant, name);
    names[at] = name;
  });
}

function findFreeName(cleaned: string, claimant: string, issued: IssuedNames): string {
  for (let attempt = 0; ; attempt++) {
    const name = withHash(cleaned, claimant, attempt);
    if (holderOf(issued, name) === undefined) return name;
  }
}
