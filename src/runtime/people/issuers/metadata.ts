import { SYSTEM_CLOCK } from "../../../system/time/clock.ts";
import { askIssuer, checkIssuerAddress } from "./ask-issuer.ts";
import { IssuerProblem } from "./issuer-problem.ts";

/** What an OpenID provider says about itself. */
export interface IssuerMetadata {
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly jwksUri: string;
  readonly userinfoEndpoint: string | null;
  readonly endSessionEndpoint: string | null;
  /** Whether it names itself in every answer at the callback (RFC 9207). */
  readonly namesItself: boolean;
  readonly authMethods: readonly string[];
  readonly scopes: readonly string[] | null;
}

/** Milliseconds for which it is used without asking again, and for which an old one serves while nobody answers. */
const FRESH = 3_600_000;
const STALE = 86_400_000;
/** Milliseconds between two tries while it does not answer. */
const AGAIN = 5_000;

export interface KeptMetadata {
  /** Throws an `IssuerProblem`. */
  get(): Promise<IssuerMetadata>;
}

/** Reads it on first use, once for all who ask at the same time. */
export function createMetadata(issuer: string, now: () => number = SYSTEM_CLOCK.now): KeptMetadata {
  let kept: { readonly at: number; readonly metadata: IssuerMetadata } | null = null;
  let asking: Promise<IssuerMetadata> | null = null;
  let failed: { readonly at: number; readonly error: unknown } | null = null;
  const load = async (): Promise<IssuerMetadata> => {
    try {
      const metadata = await loadMetadata(issuer);
      kept = { at: now(), metadata };
      failed = null;
      return metadata;
    } catch (error) {
      failed = { at: now(), error };
      throw error;
    } finally {
      asking = null;
    }
  };
  return {
    async get() {
      if (kept !== null && now() - kept.at < FRESH) return kept.metadata;
      const isTooSoon = failed !== null && now() - failed.at < AGAIN;
      if (isTooSoon && kept === null) throw failed?.error;
      if (isTooSoon && kept !== null) return kept.metadata;
      asking ??= load();
      return asking.catch((error: unknown) => {
        if (kept !== null && now() - kept.at < STALE) return kept.metadata;
        throw error;
      });
    },
  };
}

async function loadMetadata(issuer: string): Promise<IssuerMetadata> {
  const { status, value } = await askIssuer(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
  if (status !== 200) throw new IssuerProblem("wrong", `${issuer} has no metadata (status ${status})`);
  // Entra's "common" has a template here, which fits no token.
  if (value.issuer !== issuer)
    throw new IssuerProblem("wrong", `${issuer} calls itself ${JSON.stringify(value.issuer)}; write it exactly so`);
  const address = (name: string): string => checkIssuerAddress(value[name]).href;
  const optional = (name: string): string | null => (value[name] === undefined ? null : address(name));
  return {
    issuer,
    authorizationEndpoint: address("authorization_endpoint"),
    tokenEndpoint: address("token_endpoint"),
    jwksUri: address("jwks_uri"),
    userinfoEndpoint: optional("userinfo_endpoint"),
    endSessionEndpoint: optional("end_session_endpoint"),
    namesItself: value.authorization_response_iss_parameter_supported === true,
    authMethods: toTexts(value.token_endpoint_auth_methods_supported) ?? ["client_secret_basic"],
    scopes: toTexts(value.scopes_supported),
  };
}

function toTexts(value: unknown): readonly string[] | null {
  return Array.isArray(value) ? value.map(String) : null;
}
