import { describePerson, type Person } from "../../core/people/person.ts";
import { createCodes } from "./codes.ts";
import { forgetConsents } from "./consents.ts";
import type {
  Authorization,
  Authorizations,
  IssuedTokens,
  PeopleNote,
  PeoplePlace,
  PeopleRows,
  PersonRow,
} from "./contract.ts";
import { createFamilies } from "./families.ts";
import { ACCESS_FOR, accessUntil, continueFamily, type FamilyStep, startFamily, type TokenFamily } from "./family.ts";
import { hashOf, randomHandle, readToken, writeToken } from "./family-token.ts";

export interface AuthorizationOptions {
  readonly people: Pick<PeopleRows, "find" | "announce">;
  readonly log: (note: PeopleNote) => void;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * One row for each authorization, found by the hash of a handle that only its tokens hold, and changed by
 * compare-and-swap: whichever machines are asked at once, all agree on the one refresh token that counts.
 */
export function createAuthorizations(place: PeoplePlace, options: AuthorizationOptions): Authorizations {
  const { people, log, now = Date.now } = options;
  const families = createFamilies(place, { people, log, now });
  const codes = createCodes(place, now);
  /** Null for somebody who never came in, or whose access has ended. */
  const findPerson = async (person: Person): Promise<PersonRow["caller"] | null> => {
    const row = await people.find(person);
    return row?.ended === null ? row.caller : null;
  };

  return {
    allow: codes.create,
    async redeem(code, shown) {
      const handle = randomHandle();
      const id = hashOf(handle);
      const outcome = await codes.redeem(code, shown, id);
      if (outcome.kind === "refused") return null;
      if (outcome.kind === "again") {
        await families.end(outcome.family, { type: "authorization.replayed", text: "its code was shown twice" });
        return null;
      }
      const { caller, clientName, scopes, browser } = outcome.given;
      const { issuer, subject, client } = caller;
      if ((await findPerson(caller)) === null) return null;
      const step = startFamily({ caller: { issuer, subject, client }, clientName, scopes, browser }, now());
      if (!(await families.start(id, step.family))) return null;
      const text = `${describeClient(caller.client, clientName)} got access`;
      log({ type: "authorization.given", text, principal: describePerson(caller) });
      return toTokens(handle, step);
    },
    async refresh(refreshToken, client) {
      const token = readToken("refresh", refreshToken);
      if (token === null) return null;
      const id = hashOf(token.handle);
      const known = await families.read(id);
      if (known === null || known.caller.client !== client || (await findPerson(known.caller)) === null) return null;
      const next: { step: FamilyStep | null; isLate: boolean } = { step: null, isLate: false };
      await families.change(id, (family) => {
        next.step = family && continueFamily(family, token.secret, now());
        next.isLate = family !== null && next.step === null;
        return next.step?.family ?? null;
      });
      const text = `${describeClient(client, known.clientName)} showed a refresh token that had been replaced before`;
      if (next.isLate) await families.end(id, { type: "authorization.replayed", text });
      return next.step && toTokens(token.handle, next.step);
    },
    async find(accessToken) {
      const token = readToken("access", accessToken);
      if (token === null) return null;
      const id = hashOf(token.handle);
      const family = await families.read(id);
      const expires = family && accessUntil(family, token.secret, now());
      const person = expires && (await findPerson(family.caller));
      if (family === null || expires === null || !person) return null;
      return { caller: { ...person, client: family.caller.client }, authorization: id, scopes: family.scopes, expires };
    },
    async revoke(text, client) {
      const token = readToken("access", text) ?? readToken("refresh", text);
      if (token === null) return;
      const id = hashOf(token.handle);
      const family = await families.read(id);
      if (family === null || family.caller.client !== client) return;
      const name = describeClient(client, family.clientName);
      await families.end(id, { type: "authorization.ended", text: `${name} gave its access back` });
    },
    list: async (person) => (await families.of(person)).map(toAuthorization),
    async end(person, which) {
      for (const [id, { caller, clientName, browser }] of await families.of(person)) {
        if (which !== undefined && ("id" in which ? which.id !== id : which.browser !== browser)) continue;
        const text = `the access of ${describeClient(caller.client, clientName)} was ended`;
        await families.end(id, { type: "authorization.ended", text });
        if (which !== undefined && "id" in which) await forgetConsents(place, person, caller.client);
      }
      if (which === undefined) await forgetConsents(place, person, null);
    },
  };
}

function toAuthorization([id, family]: readonly [string, TokenFamily]): Authorization {
  const { caller, clientName, browser, scopes, since, seen } = family;
  return { id, client: caller.client ?? "", clientName, browser, scopes, since, seen };
}

function toTokens(handle: string, { family, secrets }: FamilyStep): IssuedTokens {
  return {
    accessToken: writeToken("access", { handle, secret: secrets.access }),
    refreshToken: writeToken("refresh", { handle, secret: secrets.refresh }),
    expiresIn: ACCESS_FOR / 1000,
    scopes: family.scopes,
  };
}

/** With its id: a name that a client gives itself says little. */
function describeClient(id: string | null, name: string): string {
  return `${JSON.stringify(name)} (${id ?? "no client"})`;
}
