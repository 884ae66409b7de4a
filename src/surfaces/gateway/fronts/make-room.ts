import { personKey } from "../../../core/people/person.ts";
import type { Profile } from "../../../runtime/crib/crib.ts";
import type { GatewayLimits } from "../wire/limits.ts";
import { clientOwner } from "./client-owner.ts";

/** Whose slot it is. */
export interface ClientSlot {
  readonly owner: string;
  /** Null where no person is known. */
  readonly person: string | null;
}

export function slotOf(profile: Profile): ClientSlot {
  const { caller } = profile;
  return { owner: clientOwner(profile), person: caller === null ? null : personKey(caller) };
}

/** A client as far as its slot is concerned. */
export interface Placed extends ClientSlot {
  /** Milliseconds since it was last active; null while it listens or waits for an answer. */
  readonly silence: number | null;
}

type SlotLimits = Pick<GatewayLimits, "sessions" | "sessionsEach" | "sessionsOfPerson">;

/** How many slots are taken, so that nobody has to be looked at while there is room. */
export interface Census {
  /** Counts a slot until the function that is returned is called. */
  add(slot: ClientSlot): () => void;
  hasRoom(slot: ClientSlot, limits: SlotLimits): boolean;
}

export function createCensus(): Census {
  const owners = new Map<string, number>();
  const persons = new Map<string, number>();
  let size = 0;
  return {
    add({ owner, person }) {
      const [leaveOwner, leavePerson] = [count(owners, owner), person === null ? () => {} : count(persons, person)];
      size += 1;
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        size -= 1;
        leaveOwner();
        leavePerson();
      };
    },
    hasRoom: ({ owner, person }, { sessions, sessionsEach, sessionsOfPerson }) =>
      size < sessions &&
      (owners.get(owner) ?? 0) < sessionsEach &&
      (person === null || (persons.get(person) ?? 0) < sessionsOfPerson),
  };
}

function count(counts: Map<string, number>, key: string): () => void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
  return () => {
    const left = (counts.get(key) ?? 1) - 1;
    if (left === 0) counts.delete(key);
    else counts.set(key, left);
  };
}

/** No client can be dropped for the new one. */
export class TooManyClients extends Error {}

/** Milliseconds of silence after which a client counts as gone if its slot is needed. */
export const ABANDONED = 60_000;

/**
 * Which client is dropped so that another one has room; null if there is room. A program that opens a session for every call and
 * ends none loses its own: the one that was silent longest. If there is no room for anybody, only a client that was
 * silent for long is dropped, and an owner with as many clients as another or more takes no slot from it.
 */
export function findLeaver<P extends Placed>(
  all: readonly P[],
  { owner, person }: ClientSlot,
  { sessions, sessionsEach, sessionsOfPerson }: SlotLimits,
): P | null {
  const counts = new Map<string, number>();
  for (const each of all) counts.set(each.owner, (counts.get(each.owner) ?? 0) + 1);
  const countOf = (one: string): number => counts.get(one) ?? 0;
  const own = all.filter((each) => each.owner === owner);
  if (own.length >= sessionsEach)
    return longestSilent(own, 0) ?? refuse(`${sessionsEach} clients of yours are at work`);
  const ofPerson = person === null ? [] : all.filter((each) => each.person === person);
  if (ofPerson.length >= sessionsOfPerson)
    return longestSilent(ofPerson, 0) ?? refuse(`${sessionsOfPerson} clients of yours are at work`);
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
