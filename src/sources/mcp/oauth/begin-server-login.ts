import type { AuthorizationServerMetadata } from "@modelcontextprotocol/client";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { Reach } from "../../../system/addresses/resolve-public.ts";
import { loadClientPackage } from "../client-package.ts";
import { checkAuthAddress, isConfidential } from "./auth-address.ts";
import { type AuthClient, findAuthClient, type Registrations } from "./auth-client.ts";
import { createAuthFetch } from "./auth-fetch.ts";
import { type AuthPlace, discoverAuth } from "./discover.ts";
import type { Login } from "./login-store.ts";
import { toLoginError } from "./to-login.ts";
import { toOauthClient } from "./tokens.ts";

/** The settings for a login in an entry. */
export interface AuthSettings {
  /** The id of a registered client, or the https address of a document that describes one. */
  readonly clientId: string | null;
  readonly clientSecret: string | null;
  readonly scope: string | null;
  /** What tokens are for, in place of what the server says; `omit`: nothing is said about it. */
  readonly resource?: string | null;
  readonly audience?: string | null;
  /** Where to log in, for a server that does not say so; both or neither. */
  readonly authorizationUrl?: string | null;
  readonly tokenUrl?: string | null;
  readonly revocationUrl?: string | null;
}

export interface BeginServerLoginOptions {
  readonly server: URL;
  /** The entry's own headers, which are sent only to the server itself. */
  readonly headers: Readonly<Record<string, string>>;
  readonly settings: AuthSettings;
  /** Where the browser comes back to, and the secret that it brings. */
  readonly redirect: string;
  readonly state: string;
  readonly document?: string | null;
  readonly registrations?: Registrations | null;
  readonly signal: AbortSignal;
  readonly reach?: Reach;
}

/** A login between its two halves. It can be written as JSON, and is secret: it proves who has begun. */
export interface PendingLogin extends AuthClient {
  /** The MCP server. */
  readonly url: string;
  readonly issuer: string;
  readonly tokenEndpoint: string;
  readonly authMethods: readonly string[];
  readonly revocation: Login["revocation"];
  /** Whether the issuer names itself in its answers (RFC 9207); null if its own name is not known. */
  readonly namesItself: boolean | null;
  readonly resource: string | null;
  readonly redirect: string;
  readonly verifier: string;
}

/**
 * The first half of a login: finds out where a person logs in, and who we are there. The second half may run in
 * another process.
 */
export async function beginServerLogin(
  options: BeginServerLoginOptions,
): Promise<{ readonly address: URL; readonly pending: PendingLogin }> {
  const { server, headers, settings, redirect, state, signal, document = null, registrations = null } = options;
  if (!isConfidential(server)) {
    const text = "The server's url is plain http, so anybody on the way could read a token that is sent there.";
    throw new ToolcribError("login.address-refused", text);
  }
  const sdk = await loadClientPackage();
  const http = createAuthFetch({ server, signal, ...(options.reach === undefined ? {} : { reach: options.reach }) });
  try {
    const { fetch } = http;
    const known = configuredPlace(settings, server);
    const place = known ?? (await discoverAuth({ server, headers, fetch, sdk, resource: named(settings.resource) }));
    const { metadata, scope: offered } = place;
    const resource = settings.resource === "omit" ? null : place.resource;
    const scope = settings.scope ?? offered;
    const client = await findAuthClient({
      ...{ configured: settings, document, registrations, redirect, scope, metadata, fetch, sdk },
    });
    const { authorizationUrl: address, codeVerifier: verifier } = await sdk.startAuthorization(metadata.issuer, {
      metadata,
      clientInformation: toOauthClient(client),
      redirectUrl: redirect,
      state,
      ...(resource === null ? {} : { resource }),
      ...(scope === null ? {} : { scope }),
    });
    if (typeof settings.audience === "string") address.searchParams.set("audience", settings.audience);
    const pending: PendingLogin = {
      url: server.href,
      issuer: metadata.issuer,
      tokenEndpoint: metadata.token_endpoint,
      authMethods: metadata.token_endpoint_auth_methods_supported ?? [],
      revocation: toRevocation(metadata),
      namesItself: known === null ? metadata.authorization_response_iss_parameter_supported === true : null,
      ...{ resource, redirect, verifier },
      ...client,
    };
    return { address, pending };
  } catch (error) {
    throw signal.aborted ? abandonedLogin() : toLoginError(error, "beginning it", sdk);
  } finally {
    http.close();
  }
}

export function abandonedLogin(): ToolcribError {
  return new ToolcribError("login.failed", "The login was given up.");
}

/** `omit` is none. */
function named(resource: string | null | undefined): string | null {
  return resource === undefined || resource === "omit" ? null : resource;
}

/** What an entry says about a server that says nothing itself: plain OAuth, such as that of many APIs. */
function configuredPlace(settings: AuthSettings, server: URL): AuthPlace | null {
  const { authorizationUrl, tokenUrl, revocationUrl } = settings;
  if (typeof authorizationUrl !== "string" || typeof tokenUrl !== "string") return null;
  const address = checkAuthAddress(authorizationUrl, server, "authorization endpoint");
  const metadata: AuthorizationServerMetadata = {
    issuer: address.origin,
    authorization_endpoint: address.href,
    token_endpoint: checkAuthAddress(tokenUrl, server, "token endpoint").href,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    ...(typeof revocationUrl === "string" ? { revocation_endpoint: revocationUrl } : {}),
  };
  return { metadata, resource: named(settings.resource), scope: null };
}

/** A login is not refused for an address that it may never need; it is checked when it is used. */
function toRevocation(metadata: AuthorizationServerMetadata): Login["revocation"] {
  const named = new Map<string, unknown>(Object.entries(metadata));
  const endpoint = named.get("revocation_endpoint");
  const methods = named.get("revocation_endpoint_auth_methods_supported");
  if (typeof endpoint !== "string") return null;
  const texts = Array.isArray(methods) ? methods.filter((each): each is string => typeof each === "string") : null;
  return { endpoint, authMethods: texts ?? metadata.token_endpoint_auth_methods_supported ?? [] };
}
