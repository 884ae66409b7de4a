import { type NameClaim, withHash } from "./wire-name.ts";

/**
 * Wire names issued so far in a session, each with its claimant. A name is never issued to another claimant. Two
 * layers, so that one new name does not copy ten thousand old ones.
 */
export interface IssuedNames {
  readonly old: ReadonlyMap<string, string>;
  readonly recent: ReadonlyMap<string, string>;
  /** Claimants, per style, that got a name other than the one they claimed, and that name. They keep it. */
  readonly losers: ReadonlyMap<string, string>;
}

export const NO_NAMES: IssuedNames = { old: new Map(), recent: new Map(), losers: new Map() };

function holderOf({ old, recent }: Pick<IssuedNames, "old" | "recent">, name: string): string | undefined {
  return old.get(name) ?? recent.get(name);
}

interface Assignment {
  /** Wire names in the order of the claims. */
  readonly names: readonly string[];
  readonly issued: IssuedNames;
}

/** Gives candidates, in the order in which names are assigned, their wire names. Built-ins that are off own none. */
export function giveNames(
  candidates: readonly { readonly claim: NameClaim; readonly off: boolean; wireName: string }[],
  issued: IssuedNames,
): IssuedNames {
  const claiming = candidates.filter(({ off }) => !off);
  const given = assignNames(
    claiming.map(({ claim }) => claim),
    issued,
  );
  for (const candidate of candidates) candidate.wireName = candidate.claim.name;
  for (const [at, candidate] of claiming.entries()) candidate.wireName = given.names[at] ?? "";
  return given.issued;
}

/** Gives every claimant its own wire name, also where cleaning, cutting or joining made two names equal. */
function assignNames(claims: readonly NameClaim[], issued: IssuedNames): Assignment {
  const open: NameClaim[] = [];
  const places: number[] = [];
  const names = claims.map((claim, at) => {
    if (holderOf(issued, claim.name) !== claim.claimant) {
      open.push(claim);
      places.push(at);
    }
    return claim.name;
  });
  if (open.length === 0) return { names, issued };
  const recent = new Map(issued.recent);
  const losers = new Map(issued.losers);
  const after = { old: issued.old, recent, losers };
  settle(losers.size === 0 ? open : open.filter((claim) => !losers.has(toLoser(claim))), issued, recent);
  for (const [at, claim] of open.entries()) {
    if (holderOf(after, claim.name) === claim.claimant) continue;
    const name = losers.get(toLoser(claim)) ?? findFreeName(claim, after);
    recent.set(name, claim.claimant);
    losers.set(toLoser(claim), name);
    names[places[at] ?? 0] = name;
  }
  const isSmall = recent.size * 4 < issued.old.size;
  return { names, issued: isSmall ? after : { old: join(issued.old, recent), recent: new Map(), losers } };
}

function join(old: ReadonlyMap<string, string>, recent: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  if (old.size === 0) return recent;
  const all = new Map(old);
  for (const [name, claimant] of recent) all.set(name, claimant);
  return all;
}

function toLoser({ style, claimant }: NameClaim): string {
  return `${style} ${claimant}`;
}

/** Gives each free name to the claim with the best right: a legal one first, then the first in catalog order. */
function settle(open: readonly NameClaim[], issued: IssuedNames, recent: Map<string, string>): void {
  // Names held for now by a claim that is not legal, and those of them that another one wants too.
  const held = new Set<string>();
  const contested = new Set<string>();
  for (const { name, claimant, legal } of open) {
    if (holderOf(issued, name) !== undefined) continue;
    const rival = recent.get(name);
    if (rival === undefined) {
      recent.set(name, claimant);
      if (!legal) held.add(name);
    } else if (legal && held.delete(name)) recent.set(name, claimant);
    else if (rival !== claimant && held.has(name)) contested.add(name);
  }
  for (const name of contested) if (held.has(name)) recent.delete(name);
}

function findFreeName(claim: NameClaim, issued: IssuedNames): string {
  for (let attempt = 0; ; attempt++) {
    const name = withHash(claim.name, claim.claimant, attempt);
    if (holderOf(issued, name) === undefined) return name;
  }
}
