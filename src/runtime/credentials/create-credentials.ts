import type { ExchangeCredential } from "../../config/shape/credential-shape.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { Person } from "../../core/people/person.ts";
import type { Login } from "../../sources/mcp/oauth/login-store.ts";
import type { Revocation } from "../../sources/mcp/oauth/revoke.ts";
import type { PeoplePlace } from "../people/contract.ts";
import type { KeyedSealer } from "../people/sealer.ts";
import type { UpstreamCredentials } from "./contract.ts";
import { createCredentialNews } from "./credential-news.ts";
import { createExchangedTokens, type Exchanger } from "./exchanged-tokens.ts";
import { type IdentityParts, identify } from "./identify.ts";
import { createKeptLogins } from "./kept-logins.ts";
import type { OpenLogin } from "./login-row.ts";
import { createPersonLogin, loginIn } from "./person-login.ts";
import { createSignedTokens } from "./signed-tokens.ts";
import type { SigningKeys } from "./signing-keys.ts";
import type { SubjectTokens } from "./subject-tokens.ts";
import { upstreamOrigin } from "./upstream-url.ts";

export interface CredentialsOptions {
  readonly place: PeoplePlace;
  readonly sealer: KeyedSealer;
  /** An origin. */
  readonly publicUrl: string;
  readonly signing: SigningKeys;
  readonly subjects: SubjectTokens;
  readonly exchanger: (client: ExchangeCredential["client"]) => Exchanger | null;
  readonly onError: (text: string, error: unknown) => void;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** The same, for those who end somebody's access. */
export interface OwnCredentials extends UpstreamCredentials {
  /** Revokes and forgets everything of a person (O8). */
  end(person: Person): Promise<void>;
}

/** Milliseconds that a logout waits for a renewal of the same login, and an authorization server for its revocation. */
const RENEWING = 10_000;
const REVOKING = 15_000;
const SENDABLE = /^[\x21-\x7e](?:[\x20-\x7e]{0,8190}[\x21-\x7e])?$/;

export function createCredentials(options: CredentialsOptions): OwnCredentials {
  const { place, sealer, publicUrl, signing, subjects, exchanger, onError, now = Date.now } = options;
  const news = createCredentialNews(place, onError);
  const kept = createKeptLogins({ place, sealer, news, now });
  const exchanged = createExchangedTokens({ subjects, issuer: exchanger, now });
  const signed = createSignedTokens({ publicUrl, keys: signing, now });
  const onLeftOver = (login: Login): void => void revoke(login);
  const parts: IdentityParts = { kept, exchanged, signed, onLeftOver };

  const forget = async (person: Person, server: string): Promise<Revocation | null> => {
    const patience = AbortSignal.timeout(RENEWING);
    const remove = () => kept.remove(person, server);
    // Not while it is renewed, unless that takes for ever: what a renewal still brings is revoked then.
    const gone = await kept.alone(person, server, patience, remove).catch((error: unknown) => {
      if (patience.aborted) return remove();
      throw error;
    });
    return gone === null ? null : revokeRow(gone);
  };
  return {
    of: (server, caller) => identify(server, caller, parts),
    loginStore: (server, person) =>
      server.credentials?.kind === "person" ? createPersonLogin({ kept, server, person, onLeftOver }) : null,
    async putKey(server, person, key) {
      if (server.credentials?.kind !== "key") throw invalid(`${JSON.stringify(server.name)} takes no keys of people`);
      const secret = key.trim();
      if (!SENDABLE.test(secret)) throw invalid("this is no key: it is empty, or holds what no header may");
      const bond = { kind: "key", origin: upstreamOrigin(server), issuer: null, clientId: null } as const;
      await kept.put(person, server.name, { ...bond, scope: null, secret });
    },
    list: kept.list,
    forget,
    changes: (listener) => news.changes(({ isRenewal, ...change }) => isRenewal || listener(change)),
    async end(person) {
      exchanged.drop(person);
      subjects.drop(person);
      for (const { server } of await kept.list(person)) await forget(person, server);
    },
    async close() {
      news.close();
    },
  };
}

async function revokeRow(gone: OpenLogin): Promise<Revocation> {
  const login = gone.row.kind === "person" ? loginIn(gone) : null;
  return login === null ? { kind: "not-offered" } : revoke(login);
}

async function revoke(login: Login): Promise<Revocation> {
  const { revokeLogin } = await import("../../sources/mcp/oauth/revoke.ts");
  return revokeLogin(login, { server: new URL(login.url), signal: AbortSignal.timeout(REVOKING) });
}

function invalid(text: string): ToolcribError {
  return new ToolcribError("credentials.invalid", text);
}
