import { createHash, randomBytes } from "node:crypto";
import { type Person, personKey } from "../../core/people/person.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import type { BrowserSession, BrowserSessions, PeoplePlace, PeopleRows } from "./contract.ts";
import { peopleValues } from "./people-values.ts";
import type { ProviderSessions } from "./provider-sessions.ts";

export interface BrowserSessionsOptions {
  readonly place: PeoplePlace;
  readonly people: Pick<PeopleRows, "note" | "find">;
  /** Null where people do not log in at an identity provider. */
  readonly provider: ProviderSessions | null;
  readonly now?: () => number;
}

/** Milliseconds, a working day: then the person logs in again, mostly without seeing it. */
export const BROWSER_SESSION_LIFE = 12 * 3_600_000;

/** The person and a secret. */
const COOKIE = /^([\w-]{43})\.([\w-]{43})$/;

interface StoredBrowser {
  readonly issuer: string;
  readonly subject: string;
  readonly since: number;
}

/** The store knows the digest of a cookie's secret, and so nobody can make a cookie of a row. */
export function createBrowserSessions(options: BrowserSessionsOptions): BrowserSessions {
  const { place, people, provider, now = Date.now } = options;
  const of = (key: string) => peopleValues(place, "people.browsers", key);
  /** Groups may have changed since the login. */
  const toSession = async (id: string, value: unknown): Promise<BrowserSession | null> => {
    const stored = fromStored(value);
    if (stored === null || now() - stored.since >= BROWSER_SESSION_LIFE) return null;
    const row = await people.find(stored);
    if (row === null || row.ended !== null) return null;
    return { id, caller: { ...row.caller, client: null }, since: stored.since };
  };
  const drop = (person: Person, id: string): Promise<void> => of(personKey(person)).change(id, () => undefined);
  return {
    async open(caller, given) {
      const { issuer, subject } = caller;
      await people.note(caller);
      const secret = randomBytes(32).toString("base64url");
      const id = digestOf(secret);
      const key = personKey(caller);
      // First what lets the provider end it.
      if (given !== null) await provider?.put({ issuer, subject }, id, given);
      await of(key).change(id, (): StoredBrowser => ({ issuer, subject, since: now() }));
      return `${key}.${secret}`;
    },
    async find(cookie) {
      const [, key, secret] = COOKIE.exec(cookie) ?? [];
      if (key === undefined || secret === undefined) return null;
      const id = digestOf(secret);
      return toSession(id, await of(key).get(id));
    },
    async list(person) {
      const rows = [...(await of(personKey(person)).entries())];
      const sessions = await Promise.all(rows.map(([id, value]) => toSession(id, value)));
      return sessions.flatMap((session) => session ?? []).sort((one, other) => one.since - other.since);
    },
    async end(which) {
      if ("cookie" in which) {
        const found = await this.find(which.cookie);
        if (found === null) return [];
        const { issuer, subject } = found.caller;
        await drop(found.caller, found.id);
        return [{ id: found.id, person: { issuer, subject } }];
      }
      if ("sid" in which) {
        const opened = (await provider?.openedIn(which.issuer, which.sid)) ?? [];
        for (const { person, id } of opened) {
          await drop(person, id);
          await provider?.drop(person, id);
        }
        return opened;
      }
      const { person, id } = which;
      const ids = new Set([...(await of(personKey(person)).entries()).keys()]);
      for (const each of await (provider?.list(person) ?? [])) ids.add(each.browser);
      const ended = [...ids].filter((each) => id === undefined || each === id);
      for (const each of ended) {
        await drop(person, each);
        await provider?.drop(person, each);
      }
      return ended.map((each) => ({ id: each, person }));
    },
  };
}

function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

function fromStored(value: unknown): StoredBrowser | null {
  if (!isRecord(value) || typeof value.since !== "number" || typeof value.subject !== "string") return null;
  return value as unknown as StoredBrowser; // As `open` writes it.
}
