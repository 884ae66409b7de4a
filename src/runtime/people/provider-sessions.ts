import { createHash } from "node:crypto";
import type { Person } from "../../core/people/person.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import type { PeoplePlace, ProviderSession } from "./contract.ts";
import { peopleValues } from "./people-values.ts";
import { type KeyedSealer, sealedWith } from "./sealer.ts";

/** What the identity provider gave with each login, for asking it again (O8) and for the logout that it sends. */
export interface ProviderSessions {
  /** `browser` is the id of the browser session that the login opened. */
  put(person: Person, browser: string, session: ProviderSession): Promise<void>;
  /** Newest first. */
  list(person: Person): Promise<readonly KeptSession[]>;
  /** The provider has confirmed it, and this refresh token is for the next time; unless there is another one by now. */
  renew(person: Person, kept: KeptSession, refreshToken: string): Promise<void>;
  /** Forgets one, or all of a person. */
  drop(person: Person, browser?: string): Promise<void>;
  /** Browser sessions that were opened in one session at the provider. */
  openedIn(issuer: string, sid: string): Promise<readonly { readonly person: Person; readonly id: string }[]>;
}

export interface KeptSession {
  readonly browser: string;
  readonly at: number;
  /** When the provider last said that the person may come in. */
  readonly confirmed: number;
  /** Null: the provider gave none. */
  readonly refreshToken: RefreshToken | null;
}

type RefreshToken =
  | { readonly kind: "open"; readonly value: string; readonly sealed: string; readonly key: string | null }
  /** Not sealed by a key of this machine, or for another client or person. */
  | { readonly kind: "closed"; readonly key: string | null };

interface StoredSession {
  readonly sid: string | null;
  readonly at: number;
  readonly confirmed: number;
  readonly sealed: string | null;
}

export interface ProviderSessionsOptions {
  readonly place: PeoplePlace;
  readonly sealer: KeyedSealer;
  /** Our id at the provider: with another one, its tokens do not count. */
  readonly clientId: string;
  readonly now?: () => number;
}

export function createProviderSessions(options: ProviderSessionsOptions): ProviderSessions {
  const { place, sealer, clientId, now = Date.now } = options;
  const of = (person: Person) => peopleValues(place, "people.provider-sessions", person);
  const ofSid = (issuer: string, sid: string) => peopleValues(place, "people.sids", digestOf([issuer, sid]));
  const about = ({ issuer, subject }: Person, browser: string) => [
    "provider session",
    ...[place.scope, issuer, subject, clientId, browser],
  ];
  const open = (person: Person, browser: string, sealed: string): RefreshToken => {
    const value = sealer.open(sealed, about(person, browser));
    const key = sealedWith(sealed);
    return value === null ? { kind: "closed", key } : { kind: "open", value, sealed, key };
  };
  return {
    async put(person, browser, { sid, refreshToken }) {
      const sealed = refreshToken === null ? null : sealer.seal(refreshToken, about(person, browser));
      await of(person).change(browser, (): StoredSession => ({ sid, at: now(), confirmed: now(), sealed }));
      const { issuer, subject } = person;
      if (sid !== null) await ofSid(issuer, sid).change(browser, () => ({ issuer, subject }));
    },
    async list(person) {
      const kept = [...(await of(person).entries())].flatMap(([browser, value]): KeptSession[] => {
        const session = fromStored(value);
        if (session === null) return [];
        const { at, confirmed, sealed } = session;
        return [{ browser, at, confirmed, refreshToken: sealed === null ? null : open(person, browser, sealed) }];
      });
      return kept.sort((one, other) => other.at - one.at);
    },
    renew: (person, { browser, refreshToken }, next) =>
      of(person).change(browser, (value) => {
        const session = fromStored(value);
        const isSame = refreshToken?.kind === "open" && session?.sealed === refreshToken.sealed;
        if (session === null || !isSame) return value;
        return { ...session, confirmed: now(), sealed: sealer.seal(next, about(person, browser)) };
      }),
    async drop(person, browser) {
      const values = of(person);
      const gone = browser === undefined ? [...(await values.entries()).keys()] : [browser];
      for (const id of gone) {
        const session = fromStored(await values.get(id));
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

function fromStored(value: unknown): StoredSession | null {
  if (!isRecord(value) || typeof value.at !== "number") return null;
  return value as unknown as StoredSession; // As `put` writes it.
}
