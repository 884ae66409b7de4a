import type { GatewayLimits } from "../wire/limits.ts";

/** A client as far as its place is concerned. */
export interface Placed {
  /** Whose it is. */
  readonly owner: string;
  /** Milliseconds since it was heard of; null while it listens or waits for an answer. */
  readonly silence: number | null;
}

/** No client can be let go for the one that wants to come. */
export class TooManyClients extends Error {}

/** Milliseconds without a word after which a client counts as gone wherever its place is wanted. */
export const ABANDONED = 60_000;

/**
 * Which client goes so that another one of this owner finds room; null where there is room. Programs that open a session
 * for every call and end none put out their own: the one that was silent longest. Where there is no room for anybody, only
 * who was silent for long goes, and who has as many as another one or more takes no place away from it.
 */
export function findLeaver<P extends Placed>(
  all: readonly P[],
  owner: string,
  { sessions, sessionsEach }: Pick<GatewayLimits, "sessions" | "sessionsEach">,
): P | null {
  const counts = new Map<string, number>();
  for (const each of all) counts.set(each.owner, (counts.get(each.owner) ?? 0) + 1);
  const countOf = (one: string): number => counts.get(one) ?? 0;
  const own = all.filter((each) => each.owner === owner);
  if (own.length >= sessionsEach)
    return longestSilent(own, 0) ?? refuse(`${sessionsEach} clients of yours are at work`);
  if (all.length < sessions) return null;
  const others = all.filter((each) => countOf(each.owner) > countOf(owner));
  return (
    longestSilent(own, ABANDONED) ?? longestSilent(others, ABANDONED) ?? refuse("the gateway has as many as it takes")
  );
}

function longestSilent<P extends Placed>(of: readonly P[], atLeast: number): P | null {
  let found: P | null = null;
  for (const each of of)
    if (each.silence !== null && each.silence >= atLeast && each.silence > (found?.silence ?? -1)) found = each;
  return found;
}

function refuse(reason: string): never {
  throw new TooManyClients(`too many clients: ${reason}; close one, or try again later`);
}
