import { createHash, randomBytes } from "node:crypto";
import { isSamePerson, type Person } from "../../core/people/person.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import type { PeoplePlace } from "../people/contract.ts";
import { peopleValues } from "../people/people-values.ts";

/** Somebody at Slack. */
export interface SlackUser {
  readonly team: string;
  readonly user: string;
}

interface SlackAccount extends SlackUser {
  /** As Slack names them, for display. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly since: number;
}

/**
 * Who somebody at Slack is here: linked once, with a code that the person's own page shows them and that they type at
 * Slack. In the other direction a link that somebody sends to a victim would make the sender's account the victim's.
 */
export interface SlackAccounts {
  /** A code that counts once, for ten minutes. */
  begin(person: Person): Promise<string>;
  /** Whose code it was; null for an unknown, used or old one. The account is that person's from then on, and no other's. */
  link(code: string, user: SlackUser, name: string): Promise<Person | null>;
  find(user: SlackUser): Promise<Person | null>;
  list(person: Person): Promise<readonly SlackAccount[]>;
  /** False if it is none of theirs. */
  unlink(person: Person, user: SlackUser): Promise<boolean>;
}

/** Milliseconds to type the code. */
const PATIENCE = 600_000;

export function createSlackAccounts(place: PeoplePlace, now: () => number = Date.now): SlackAccounts {
  const codes = peopleValues(place, "people.slack-codes");
  const owners = peopleValues(place, "people.slack");
  const of = (person: Person) => peopleValues(place, "people.slack-accounts", person);
  const forget = (person: Person, key: string): Promise<void> => of(person).change(key, () => undefined);
  return {
    async begin({ issuer, subject }) {
      const code = randomBytes(15).toString("base64url");
      await codes.change(digestOf(code), () => ({ issuer, subject, until: now() + PATIENCE }));
      return code;
    },
    async link(code, user, name) {
      let person: Person | null = null;
      await codes.change(digestOf(code), (value) => {
        person = isRecord(value) && Number(value.until) > now() ? toPerson(value) : null;
        return undefined;
      });
      const found = person as Person | null; // Set by the callback.
      if (found === null) return null;
      const key = keyOf(user);
      const before = toPerson(await owners.get(key));
      if (before !== null && !isSamePerson(before, found)) await forget(before, key);
      await of(found).change(key, (): SlackAccount => ({ ...user, name, since: now() }));
      await owners.change(key, () => found);
      return found;
    },
    async find(user) {
      const key = keyOf(user);
      const person = toPerson(await owners.get(key));
      // The person's own row ends with their access.
      return person !== null && (await of(person).get(key)) !== undefined ? person : null;
    },
    async list(person) {
      const rows = [...(await of(person).entries()).values()];
      return rows.flatMap((row) =>
        isRecord(row) && typeof row.user === "string" ? [row as unknown as SlackAccount] : [],
      );
    },
    async unlink(person, user) {
      const key = keyOf(user);
      if ((await of(person).get(key)) === undefined) return false;
      await forget(person, key);
      await owners.change(key, (value) => {
        const owner = toPerson(value);
        return owner !== null && isSamePerson(owner, person) ? undefined : value;
      });
      return true;
    },
  };
}

function keyOf({ team, user }: SlackUser): string {
  return JSON.stringify([team, user]);
}

function digestOf(code: string): string {
  return createHash("sha256").update("slack\0").update(code).digest("base64url");
}

function toPerson(value: unknown): Person | null {
  if (!isRecord(value) || typeof value.issuer !== "string" || typeof value.subject !== "string") return null;
  return { issuer: value.issuer, subject: value.subject };
}
