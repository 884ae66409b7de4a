import type { GatewayLimits } from "../wire/limits.ts";

/** A client as far as its slot is concerned. */
export interface Placed {
  /** The owner. */
  readonly owner: string;
  /** Milliseconds since it was last active; null while it listens or waits for an answer. */
  readonly silence: number | null;
}

/** No client can be dropped for the new one. */
export class TooManyClients extends Error {}

/** Milliseconds of silence after which a client counts as gone if its slot is needed. */
export const ABANDONED = 60_000;

/**
 * Which client is dropped so that another one of this owner has room; null if there is room. A program that opens a
 * session for every call and ends none loses its own: the one that was silent longest. If there is no room for anybody,
 * only a client that was silent for long is dropped, and an owner with as many clients as another or more takes no slot
 * from it.
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
