import type { ExchangeCredential } from "../../config/shape/credential-shape.ts";
import { accessKey, type Caller, type Person, personKey } from "../../core/people/person.ts";
import type { LoginProvider } from "../people/issuers/login-provider.ts";
import type { ProviderSessions } from "../people/provider-sessions.ts";
import { renewSession } from "../people/renew-session.ts";

/** A token that says who the caller is, and can be exchanged. */
export interface SubjectToken {
  readonly value: string;
  readonly kind: ExchangeCredential["subject"];
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** Tokens of callers, of which only their issuers and those who exchange them see anything. */
export interface SubjectTokens {
  /** Notes the token of another issuer that a caller came with, on this machine. */
  note(caller: Caller, token: string, expires: number): void;
  /** Null: there is none that still counts; then the person has to log in again. Throws an `IssuerProblem`. */
  find(caller: Caller, kind: ExchangeCredential["subject"]): Promise<SubjectToken | null>;
  /** Forgets what a person came with. */
  drop(person: Person): void;
}

interface SubjectTokensOptions {
  /** Where people log in; null where nobody does. */
  readonly login: {
    readonly provider: Pick<LoginProvider, "issuer" | "renew">;
    readonly sessions: Pick<ProviderSessions, "list" | "renew" | "alone">;
  } | null;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

const MOST = 10_000;
/** Milliseconds that a token still has to count when it is exchanged. */
const MARGIN = 15_000;

export function createSubjectTokens({ login, now = Date.now }: SubjectTokensOptions): SubjectTokens {
  /** By what a caller has access to, so that no token stands in for another one that may less. */
  const came = new Map<string, SubjectToken & { readonly person: string }>();
  return {
    note(caller, value, expires) {
      const key = accessKey(caller);
      came.delete(key);
      const [oldest] = came.size < MOST ? [] : came.keys();
      if (oldest !== undefined) came.delete(oldest);
      came.set(key, { value, kind: "access", expires, person: personKey(caller) });
    },
    drop(person) {
      const whose = personKey(person);
      for (const [key, token] of came) if (token.person === whose) came.delete(key);
    },
    async find(caller, kind) {
      const isFresh = (expires: number): boolean => expires - MARGIN > now();
      const own = came.get(accessKey(caller));
      if (own !== undefined && isFresh(own.expires)) return own;
      if (login === null || login.provider.issuer !== caller.issuer) return null;
      const toSubject = (value: string | null | undefined, expires: number): SubjectToken | null =>
        value === null || value === undefined ? null : { value, kind, expires };
      const sessions = await login.sessions.list(caller);
      const fresh = sessions.find(({ tokens }) => tokens?.[kind] != null && isFresh(tokens.expires));
      if (fresh?.tokens != null) return toSubject(fresh.tokens[kind], fresh.tokens.expires);
      for (const session of sessions) {
        if (session.refreshToken?.kind !== "open") continue;
        const renewed = await renewSession(login, caller, session);
        const tokens =
          renewed?.tokens ??
          (await login.sessions.list(caller)).find(({ browser }) => browser === session.browser)?.tokens;
        if (tokens?.[kind] != null && isFresh(tokens.expires)) return toSubject(tokens[kind], tokens.expires);
      }
      return null;
    },
  };
}
