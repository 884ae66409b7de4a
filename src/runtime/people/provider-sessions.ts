import { createHash } from "node:crypto";
import type { Person } from "../../core/people/person.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import { withLease } from "../store/key-lease.ts";
import type { PeoplePlace, ProviderSession, ProviderTokens } from "./contract.ts";
import { peopleValues } from "./people-values.ts";
import type { KeyedSealer } from "./sealer.ts";
import {
  createSessionSeals,
  type ProviderSessionRow,
  type RefreshToken,
  resealSessions,
  toSessionRow,
} from "./session-seals.ts";

/** What the identity provider gave with each login, for asking it again (O8) and for the logout that it sends. */
export interface ProviderSessions {
  /** `browser` is the id of the browser session that the login opened. */
  put(person: Person, browser: string, session: ProviderSession): Promise<void>;
  /** Newest first. */
  list(person: Person): Promise<readonly KeptSession[]>;
  /** The provider has confirmed it, and gave these for the next time; unless there are others by now. */
  renew(person: Person, kept: KeptSession, next: RenewedSession): Promise<void>;
  /** One at a time over all machines, because a refresh token may count once. */
  alone<T>(person: Person, browser: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  /** Seals everything of a person with the key that seals now; true if none is left that another one opens. */
  reseal(person: Person): Promise<boolean>;
  /** Forgets one, or all of a person. */
  drop(person: Person, browser?: string): Promise<void>;
  /** Browser sessions that were opened in one session at the provider. */
  openedIn(issuer: string, sid: string): Promise<readonly { readonly person: Person; readonly id: string }[]>;
}

interface RenewedSession {
  readonly refreshToken: string;
  readonly tokens?: ProviderTokens;
}

export interface KeptSession {
  readonly browser: string;
  readonly at: number;
  /** When the provider last said that the person may come in. */
  readonly confirmed: number;
  /** Null: the provider gave none. */
  readonly refreshToken: RefreshToken | null;
  /** Null: not kept, or they do not open here. */
  readonly tokens: ProviderTokens | null;
}

export interface ProviderSessionsOptions {
  readonly place: PeoplePlace;
  readonly sealer: KeyedSealer;
  /** Our id at the provider: with another one, its tokens do not count. */
  readonly clientId: string;
  /** Whether its tokens are worth keeping, because they are exchanged for others; no if absent. */
  readonly keepsTokens?: () => boolean;
  readonly now?: () => number;
}

export function createProviderSessions(options: ProviderSessionsOptions): ProviderSessions {
  const { place, sealer, clientId, keepsTokens = () => false, now = Date.now } = options;
  const of = (person: Person) => peopleValues(place, "people.provider-sessions", person);
  const ofSid = (issuer: string, sid: string) => peopleValues(place, "people.sids", digestOf([issuer, sid]));
  const sealsOf = createSessionSeals({ scope: place.scope, sealer, clientId, keepsTokens });
  return {
    async put(person, browser, { sid, refreshToken, tokens: given }) {
      const seals = sealsOf(person, browser);
      const sealed = refreshToken === null ? null : seals.sealRefresh(refreshToken);
      const tokens = seals.sealTokens(given ?? null);
      await of(person).change(
        browser,
        (): ProviderSessionRow => ({ sid, at: now(), confirmed: now(), sealed, tokens }),
      );
      const { issuer, subject } = person;
      if (sid !== null) await ofSid(issuer, sid).change(browser, () => ({ issuer, subject }));
    },
    async list(person) {
      const kept = [...(await of(person).entries())].flatMap(([browser, value]): KeptSession[] => {
        const session = toSessionRow(value);
        if (session === null) return [];
        const { at, confirmed, sealed, tokens } = session;
        const seals = sealsOf(person, browser);
        const refreshToken = sealed === null ? null : seals.openRefresh(sealed);
        return [{ browser, at, confirmed, refreshToken, tokens: seals.openTokens(tokens) }];
      });
      return kept.sort((one, other) => other.at - one.at);
    },
    renew: (person, { browser, refreshToken }, next) =>
      of(person).change(browser, (value) => {
        const session = toSessionRow(value);
        const seals = sealsOf(person, browser);
        const stored = session?.sealed == null ? null : seals.openRefresh(session.sealed);
        // Another key may have sealed it since.
        const isSame = refreshToken?.kind === "open" && stored?.kind === "open" && stored.value === refreshToken.value;
        if (session === null || !isSame) return value;
        const tokens = seals.sealTokens(next.tokens ?? null);
        return { ...session, confirmed: now(), sealed: seals.sealRefresh(next.refreshToken), tokens };
      }),
    alone: (person, browser, signal, work) =>
      withLease({ values: peopleValues(place, "people.leases", person), key: `session ${browser}` }, signal, work),
    reseal: (person) => resealSessions(of(person), (browser) => sealsOf(person, browser), sealer),
    async drop(person, browser) {
      const values = of(person);
      const gone = browser === undefined ? [...(await values.entries()).keys()] : [browser];
      for (const id of gone) {
        const session = toSessionRow(await values.get(id));
        await values.change(id, () => undefined);
        if (session?.sid != null) await ofSid(person.issuer, session.sid).change(id, () => undefined);
      }
    },
    async openedIn(issuer, sid) {
      const opened = [...(await ofSid(issuer, sid).entries())];
      return opened.flatMap(([id, value]) =>
        isRecord(value) && value.issuer === issuer && typeof value.subject === "string"
          ? [{ id, person: { issuer, subject: value.subject } }]
          : [],
      );
    },
  };
}

function digestOf(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}
