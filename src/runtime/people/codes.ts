import { hash } from "node:crypto";
import { isRecord } from "../../core/shape/is-record.ts";
import type { GivenAccess, PeoplePlace, ShownWithCode } from "./contract.ts";
import { hashOf, randomSecret } from "./family-token.ts";
import { peopleValues } from "./people-values.ts";

/** Milliseconds for which a code counts. */
const CODE_FOR = 60_000;
const CODE = /^[\w-]{43}$/;

type Redeemed =
  | { readonly kind: "first"; readonly given: GivenAccess }
  /** It was redeemed before: somebody else may have it, and what it gave has to end. */
  | { readonly kind: "again"; readonly family: string }
  | { readonly kind: "refused" };

/** Codes on their way from the browser to a client, stored as hashes. */
export interface Codes {
  create(given: GivenAccess): Promise<string>;
  /** Redeems it for the family with this id, unless it was redeemed before, on any machine. */
  redeem(code: string, shown: ShownWithCode, family: string): Promise<Redeemed>;
}

interface StoredCode extends GivenAccess {
  readonly until: number;
  /** What it was redeemed for. It is stored for longer than it counts, so that a second use is known as one. */
  readonly family: string | null;
}

export function createCodes(place: PeoplePlace, now: () => number): Codes {
  const codes = peopleValues(place, "people.codes");
  return {
    async create(given) {
      const code = randomSecret();
      const row: StoredCode = { ...given, until: now() + CODE_FOR, family: null };
      await codes.change(hashOf(code), () => row);
      return code;
    },
    async redeem(code, shown, family) {
      let outcome: Redeemed = { kind: "refused" };
      if (!CODE.test(code)) return outcome;
      await codes.change(hashOf(code), (value) => {
        const row = toCode(value);
        outcome = row === null ? { kind: "refused" } : judge(row, shown, now());
        return row !== null && outcome.kind === "first" ? { ...row, family } : value;
      });
      return outcome;
    },
  };
}

function judge(row: StoredCode, { client, redirect, verifier }: ShownWithCode, now: number): Redeemed {
  if (row.family !== null) return { kind: "again", family: row.family };
  const isRight =
    row.until > now &&
    row.caller.client === client &&
    (redirect === null || redirect === row.redirect) &&
    hash("sha256", verifier, "base64url") === row.challenge;
  if (!isRight) return { kind: "refused" };
  return { kind: "first", given: row };
}

function toCode(value: unknown): StoredCode | null {
  return isRecord(value) && isRecord(value.caller) ? (value as unknown as StoredCode) : null; // This file alone writes it.
}
