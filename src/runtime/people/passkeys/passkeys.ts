import { type Person, personKey } from "../../../core/people/person.ts";
import { isRecord } from "../../../core/shape/is-record.ts";
import type { PeoplePlace } from "../contract.ts";
import { peopleValues } from "../people-values.ts";
import { checkPasskeyAnswer, type ExpectedAnswer, type KnownPasskey, type PasskeyAnswer } from "./webauthn.ts";

/** Passkeys of people who were invited (O5). */
export interface Passkeys {
  /** Stores the only passkey that somebody has from now on: earlier ones are lost, or in wrong hands. */
  replace(person: Person, id: string, passkey: KnownPasskey): Promise<void>;
  /** Who answers; else why nobody does. `owner` is what the authenticator has stored of its owner. */
  check(
    given: PasskeyAnswer & { readonly owner: string },
    expected: ExpectedAnswer,
  ): Promise<Person | { readonly wrong: string }>;
}

interface StoredPasskey extends KnownPasskey {
  readonly issuer: string;
  readonly subject: string;
  readonly since: number;
}

/** What an authenticator stores of its owner: nothing that says who that is. */
export function passkeyOwner(person: Person): string {
  return personKey(person);
}

export function createPasskeys(place: PeoplePlace, now: () => number = Date.now): Passkeys {
  return {
    async replace({ issuer, subject }, id, { publicKey, counter }) {
      const values = peopleValues(place, "people.passkeys", { issuer, subject });
      const stored: StoredPasskey = { issuer, subject, publicKey, counter, since: now() };
      await values.change(id, () => stored);
      for (const other of (await values.entries()).keys())
        if (other !== id) await values.change(other, () => undefined);
    },
    async check({ owner, ...given }, expected) {
      const values = peopleValues(place, "people.passkeys", owner);
      let outcome: Person | { readonly wrong: string } = { wrong: "the passkey is not known" };
      await values.change(given.id, (value) => {
        const stored = fromStored(value);
        if (stored === null) return value;
        const checked = checkPasskeyAnswer(given, stored, expected);
        if ("wrong" in checked) {
          outcome = checked;
          return value;
        }
        outcome = { issuer: stored.issuer, subject: stored.subject };
        return { ...stored, counter: checked.counter };
      });
      return outcome;
    },
  };
}

function fromStored(value: unknown): StoredPasskey | null {
  if (!isRecord(value) || typeof value.publicKey !== "string" || typeof value.subject !== "string") return null;
  return value as unknown as StoredPasskey; // As `replace` writes it.
}
