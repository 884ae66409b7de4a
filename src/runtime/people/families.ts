import { describePerson, type Person } from "../../core/people/person.ts";
import type { PeopleNote, PeoplePlace, PeopleRows } from "./contract.ts";
import { endedFamily, isOver, type TokenFamily, toFamily } from "./family.ts";
import { peopleValues } from "./people-values.ts";

/** Authorizations of one person; with more, those that were not used for longest end. */
const MOST_GIVEN = 100;

export interface FamilyOptions {
  readonly people: Pick<PeopleRows, "find" | "announce">;
  readonly log: (note: PeopleNote) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Families of tokens by id, one row each, and which ones a person has. */
export interface Families {
  /** Null for one that is over. */
  read(id: string): Promise<TokenFamily | null>;
  /** False if it was ended before it began. */
  start(id: string, family: TokenFamily): Promise<boolean>;
  /** May be called again; null for one that has ended. */
  change(id: string, change: (family: TokenFamily | null) => TokenFamily | null): Promise<void>;
  /** Ends it and lets all machines know. Nothing can begin it again, even if it has not begun yet. */
  end(id: string, why: Pick<PeopleNote, "type" | "text">): Promise<void>;
  /** Last used first. */
  of(person: Person): Promise<readonly (readonly [id: string, family: TokenFamily])[]>;
}

export function createFamilies(place: PeoplePlace, { people, log, now }: FamilyOptions): Families {
  const rows = peopleValues(place, "people.families");
  const givenOf = (person: Person) => peopleValues(place, "people.given", person);
  const read = async (id: string): Promise<TokenFamily | null> => {
    const family = toFamily(await rows.get(id));
    return family !== null && !isOver(family, now()) ? family : null;
  };
  const of = async (person: Person): Promise<readonly (readonly [string, TokenFamily])[]> => {
    const given = givenOf(person);
    const ids = [...(await given.entries()).keys()];
    const found = await Promise.all(ids.map(async (id) => [id, await read(id)] as const));
    return found
      .flatMap(([id, family]) => (family === null ? [] : [[id, family] as const]))
      .sort(([, one], [, other]) => other.seen - one.seen);
  };
  const end = async (id: string, why: Pick<PeopleNote, "type" | "text">): Promise<void> => {
    const before: { family: TokenFamily | null } = { family: null };
    await rows.change(id, (value) => {
      before.family = toFamily(value);
      return before.family === null && value !== undefined ? value : endedFamily(now());
    });
    if (before.family === null) return;
    const { caller } = before.family;
    const { issuer, subject, client } = caller;
    await givenOf(caller).change(id, () => undefined);
    await people.announce({ kind: "revoked", person: { issuer, subject }, client: client ?? "", authorization: id });
    log({ ...why, principal: describePerson(caller) });
  };
  return {
    read,
    of,
    end,
    async start(id, family) {
      const { caller } = family;
      for (const [old] of (await of(caller)).slice(MOST_GIVEN - 1))
        await end(old, {
          type: "authorization.ended",
          text: `more than ${MOST_GIVEN} were open, and it was the oldest`,
        });
      // Before the row itself, so that none of a person's can be missed.
      await givenOf(caller).change(id, () => ({ since: now() }));
      let isStarted = false;
      await rows.change(id, (value) => {
        isStarted = value === undefined;
        return isStarted ? family : value;
      });
      return isStarted;
    },
    change: (id, change) =>
      rows.change(id, (value) => {
        const family = toFamily(value);
        return change(family) ?? value;
      }),
  };
}
