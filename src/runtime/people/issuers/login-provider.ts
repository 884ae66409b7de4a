import { createHash, createHmac } from "node:crypto";
import type { JWTPayload } from "jose";
import type { AuthConfig } from "../../../config/shape/people-shape.ts";
import type { Caller, Person } from "../../../core/people/person.ts";
import { type ClaimNames, loginParameters, type ReadCaller, readClaims } from "../../../core/people/read-claims.ts";
import { isRecord } from "../../../core/shape/is-record.ts";
import type { ProviderSession, ProviderTokens } from "../contract.ts";
import { IssuerProblem } from "./issuer-problem.ts";
import type { IssuerMetadata } from "./metadata.ts";
import { createProviderQuestions, errorCodeOf } from "./provider-questions.ts";

/** The identity provider where people log in. Everything throws an `IssuerProblem`. */
export interface LoginProvider {
  readonly issuer: string;
  /** For people. */
  readonly name: string;
  /** Our id there. */
  readonly clientId: string;
  /** Where a browser is sent; what protects the login is made from the browser's own secret and `state`. */
  begin(attempt: LoginAttempt): Promise<string>;
  /** What the parameters with which a browser comes back are worth. */
  finish(params: ReadonlyMap<string, string>, attempt: LoginAttempt): Promise<LoggedIn>;
  /** Asks about somebody who has logged in: `refused` if the provider would not let them in again (O8). */
  renew(refreshToken: string, person: Person): Promise<Renewed>;
  /** Whose session ends, as a logout token says. */
  readLogout(logoutToken: string): Promise<LogoutToken>;
  /** Where people can log out there; null if it has no such page. */
  logoutAddress(): Promise<string | null>;
}

export interface LoginAttempt {
  readonly state: string;
  /** Of the browser, and never stored. */
  readonly secret: string;
}

interface LoggedIn {
  readonly caller: Omit<Caller, "client">;
  readonly session: ProviderSession;
  readonly problem: string | null;
}

interface Renewed {
  /** Null if the provider only says that the person may still come in. */
  readonly caller: Omit<Caller, "client"> | null;
  /** The next one, if the provider gives another. */
  readonly refreshToken: string | null;
  readonly tokens: ProviderTokens;
}

interface LogoutToken {
  readonly subject: string | null;
  readonly sid: string | null;
}

export interface LoginProviderOptions {
  readonly login: NonNullable<AuthConfig["login"]>;
  /** An address of the gateway itself. */
  readonly redirect: string;
  /** Claims that rules ask about now. */
  readonly asked: () => readonly string[];
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** Where a provider sends a browser back to, at the gateway. */
export const LOGIN_CALLBACK = "/login/callback";
const LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout";
/** Seconds for which a logout token may be on its way. */
const LOGOUT_AGE = 300;

/** The code flow with PKCE, asking again with refresh tokens, and logout tokens: what OpenID providers have in common. */
export function createLoginProvider({ login, redirect, asked, now = Date.now }: LoginProviderOptions): LoginProvider {
  const { issuer, clientId } = login;
  const questions = createProviderQuestions(login, now);
  const { metadata, verify, askForTokens, askUserinfo } = questions;
  const names = (): ClaimNames => ({ issuer, groups: login.groups, asked: asked() });

  const toCaller = async (claims: JWTPayload, accessToken: unknown): Promise<ReadCaller> => {
    const own = need(readClaims(claims, names()), issuer);
    const isWhole = own.hasGroups && own.caller.name !== null && own.caller.claims.length === asked().length;
    if (isWhole) return own;
    const more = await askUserinfo(accessToken, claims.sub);
    return more === null ? own : need(readClaims(claims, names(), more), issuer);
  };

  return {
    issuer,
    clientId,
    name: login.name ?? new URL(issuer).host,
    async begin(attempt) {
      const { authorizationEndpoint, scopes } = await metadata.get();
      const url = new URL(authorizationEndpoint);
      const challenge = createHash("sha256").update(derive(attempt, "verifier")).digest("base64url");
      const params = {
        ...{ response_type: "code", client_id: clientId, redirect_uri: redirect, state: attempt.state },
        ...{ scope: toScope(login.scopes, scopes), nonce: derive(attempt, "nonce") },
        ...{ code_challenge: challenge, code_challenge_method: "S256" },
        ...loginParameters(issuer),
      };
      for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
      return url.href;
    },
    async finish(params, attempt) {
      const code = checkReturn(params, await metadata.get());
      const verifier = derive(attempt, "verifier");
      const grant = { grant_type: "authorization_code", code, redirect_uri: redirect, code_verifier: verifier };
      const tokens = await askForTokens(grant);
      const claims = await verify(tokens.id_token);
      if (claims.nonce !== derive(attempt, "nonce"))
        throw new IssuerProblem("wrong", "the login that comes back is not the one that was begun (nonce)");
      const { caller, problem } = await toCaller(claims, tokens.access_token);
      const refreshToken = toText(tokens.refresh_token);
      return { caller, problem, session: { sid: toText(claims.sid), refreshToken, tokens: toTokens(tokens, now()) } };
    },
    async renew(refreshToken, person) {
      const tokens = await askForTokens({ grant_type: "refresh_token", refresh_token: refreshToken });
      const next = toText(tokens.refresh_token);
      const hasIdToken = tokens.id_token !== undefined;
      const claims = hasIdToken ? await verify(tokens.id_token) : await askUserinfo(tokens.access_token, undefined);
      const given = { refreshToken: next, tokens: toTokens(tokens, now()) };
      if (claims === null) return { caller: null, ...given };
      const read = hasIdToken ? await toCaller(claims, tokens.access_token) : need(readClaims(claims, names()), issuer);
      if (read.caller.subject !== person.subject)
        throw new IssuerProblem("refused", `${issuer} answered about another person`);
      // Some have groups in ID tokens alone, so that userinfo without any says nothing about them.
      return { caller: hasIdToken || read.hasGroups ? read.caller : null, ...given };
    },
    async readLogout(logoutToken) {
      const { events, nonce, sub, sid } = await verify(logoutToken, LOGOUT_AGE);
      if (!isRecord(events) || !isRecord(events[LOGOUT_EVENT]) || nonce !== undefined)
        throw new IssuerProblem("wrong", "a token that came as a logout is none");
      const said = { subject: toText(sub), sid: toText(sid) };
      if (said.subject === null && said.sid === null)
        throw new IssuerProblem("wrong", "a logout names neither a session nor a person");
      return said;
    },
    async logoutAddress() {
      const { endSessionEndpoint } = await metadata.get();
      if (endSessionEndpoint === null) return null;
      const url = new URL(endSessionEndpoint);
      url.searchParams.set("client_id", clientId);
      return url.href;
    },
  };
}

/** Before the code is sent anywhere: an answer of another provider must not bring its code here (mix-up). */
function checkReturn(params: ReadonlyMap<string, string>, { issuer, namesItself }: IssuerMetadata): string {
  const from = params.get("iss");
  if (from === undefined ? namesItself : from !== issuer)
    throw new IssuerProblem("wrong", "the login comes back from another provider than it was sent to (iss)");
  const said = errorCodeOf(params.get("error"));
  if (said !== null) throw new IssuerProblem("refused", `${issuer} let nobody in: ${said}`, { said });
  const code = params.get("code");
  if (code === undefined || code === "")
    throw new IssuerProblem("wrong", `${issuer} sent the browser back without a code`);
  return code;
}

/** Another value for each purpose, which nobody can know who has not the browser's secret. */
function derive({ state, secret }: LoginAttempt, purpose: string): string {
  return createHmac("sha256", secret).update(`${purpose} ${state}`).digest("base64url");
}

/** Providers that do not know the scope for refresh tokens refuse it. */
function toScope(wanted: readonly string[], known: readonly string[] | null): string {
  const asked = wanted.filter((scope) => scope !== "offline_access" || known === null || known.includes(scope));
  return [...new Set(["openid", ...asked])].join(" ");
}

function need(read: ReadCaller | null, issuer: string): ReadCaller {
  if (read === null) throw new IssuerProblem("wrong", `a token of ${issuer} names nobody (sub)`);
  return read;
}

function toText(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** Milliseconds that tokens count if the provider does not say. */
const UNSAID = 300_000;

function toTokens(answer: Readonly<Record<string, unknown>>, now: number): ProviderTokens {
  const { access_token: access, id_token: id, expires_in: lasts } = answer;
  const seconds = typeof lasts === "number" && lasts > 0 ? lasts : null;
  return { access: toText(access), id: toText(id), expires: now + (seconds === null ? UNSAID : seconds * 1_000) };
}
