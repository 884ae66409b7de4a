import type { AuthorizationServerMetadata, FetchLike, OAuthClientMetadata } from "@modelcontextprotocol/client";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { Reach } from "../../../system/addresses/resolve-public.ts";
import { untilAborted } from "../../../system/time/until-aborted.ts";
import { type ClientPackage, loadClientPackage } from "../client-package.ts";
import { isConfidential } from "./auth-address.ts";
import { createAuthFetch } from "./auth-fetch.ts";
import { discoverAuth, notOffered } from "./discover.ts";
import type { Login, LoginStore } from "./login-store.ts";
import { openRedirect, type Redirect, type Returned } from "./redirect.ts";
import { toLogin, toLoginError } from "./to-login.ts";
import { toOauthClient } from "./tokens.ts";

/** The settings for a login in an entry. */
interface AuthSettings {
  /** The id of a registered client, or the https address of a document that describes one. */
  readonly clientId: string | null;
  readonly clientSecret: string | null;
  readonly scope: string | null;
  /** Null: any free port. */
  readonly callbackPort: number | null;
}

export interface LogInOptions {
  readonly server: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly settings: AuthSettings;
  readonly store: LoginStore;
  readonly signal: AbortSignal;
  /** How long a person may take, in milliseconds. */
  readonly patience: number;
  /** Shows a person where to go. `paste` takes the address they end up at, and returns whether it is the right one. */
  readonly show: (url: URL, paste: (text: string) => boolean) => void;
  readonly now?: () => number;
  readonly reach?: Reach;
}

/** One login in a browser: authorization code with PKCE, with a redirect to this machine. The tokens are stored. */
export async function logIn(options: LogInOptions): Promise<Login> {
  const { server, headers, settings, store, signal, now = Date.now } = options;
  if (!isConfidential(server)) {
    const text = "The server's url is plain http, so anybody on the way could read a token that is sent there.";
    throw new ToolcribError("login.address-refused", text);
  }
  const sdk = await loadClientPackage();
  const http = createAuthFetch({ server, signal, ...(options.reach === undefined ? {} : { reach: options.reach }) });
  try {
    const { metadata, resource, scope: offered } = await discoverAuth({ server, headers, fetch: http.fetch, sdk });
    const redirect = await openRedirect(settings.callbackPort ?? 0);
    try {
      const scope = settings.scope ?? offered;
      const client = await clientFor(settings, metadata, redirect, scope, http.fetch, sdk);
      const { authorizationUrl, codeVerifier } = await sdk.startAuthorization(metadata.issuer, {
        metadata,
        clientInformation: toOauthClient(client),
        redirectUrl: redirect.url,
        state: redirect.state,
        resource,
        ...(scope === null ? {} : { scope }),
      });
      options.show(authorizationUrl, redirect.paste);
      const returned = await within(redirect.returned, options);
      const code = readCode(returned, metadata, sdk);
      const tokens = await sdk.exchangeAuthorization(metadata.issuer, {
        metadata,
        clientInformation: toOauthClient(client),
        authorizationCode: code,
        ...(returned.iss === undefined ? {} : { iss: returned.iss }),
        codeVerifier,
        redirectUri: redirect.url,
        resource,
        fetchFn: http.fetch,
      });
      const bound = {
        url: server.href,
        issuer: metadata.issuer,
        tokenEndpoint: metadata.token_endpoint,
        authMethods: metadata.token_endpoint_auth_methods_supported ?? [],
        revocation: toRevocation(metadata),
        resource,
        ...client,
      };
      const login = toLogin(tokens, bound, now());
      await store.alone(signal, () => store.write(login));
      return login;
    } finally {
      await redirect.close();
    }
  } catch (error) {
    if (signal.aborted) throw new ToolcribError("login.failed", "The login was given up.");
    throw toLoginError(error, "asking for a token", sdk);
  } finally {
    http.close();
  }
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

type AuthClient = Pick<Login, "clientId" | "clientSecret">;

/** A configured client, a document that describes one, or one that is registered for this login. */
async function clientFor(
  { clientId, clientSecret }: AuthSettings,
  metadata: AuthorizationServerMetadata,
  redirect: Redirect,
  scope: string | null,
  fetchFn: FetchLike,
  sdk: ClientPackage,
): Promise<AuthClient> {
  if (clientId !== null) {
    const isDocument = clientId.startsWith("https://");
    if (isDocument && metadata.client_id_metadata_document_supported !== true)
      throw notOffered("its authorization server does not read documents about clients; oauth.clientId names one");
    return { clientId, clientSecret };
  }
  if (metadata.registration_endpoint === undefined)
    throw notOffered("its authorization server registers no clients; register one there and set oauth.clientId");
  const clientMetadata: OAuthClientMetadata = {
    client_name: "Toolcrib",
    redirect_uris: [redirect.url],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    application_type: "native",
  };
  try {
    const made = await sdk.registerClient(metadata.issuer, {
      metadata,
      clientMetadata,
      fetchFn,
      ...(scope === null ? {} : { scope }),
    });
    return { clientId: made.client_id, clientSecret: made.client_secret ?? null };
  } catch (error) {
    throw toLoginError(error, "registering as a client", sdk);
  }
}

/** The issuer is checked first (RFC 9207): of an answer from elsewhere, not even the error is believed. */
function readCode({ code, iss, error }: Returned, metadata: AuthorizationServerMetadata, sdk: ClientPackage): string {
  sdk.validateAuthorizationResponseIssuer({
    iss,
    expectedIssuer: metadata.issuer,
    issParameterSupported: metadata.authorization_response_iss_parameter_supported === true,
  });
  if (code !== null) return code;
  const why = error !== null && /^[a-z_]{1,40}$/.test(error) ? ` (${error})` : "";
  throw new ToolcribError("login.failed", `The authorization server refused the login${why}.`);
}

function within<T>(work: Promise<T>, { signal, patience }: LogInOptions): Promise<T> {
  const time = AbortSignal.timeout(patience);
  return untilAborted(work, AbortSignal.any([signal, time]), () => {
    const text = time.aborted ? "Nobody came back from the browser in time." : "The login was given up.";
    throw new ToolcribError("login.failed", text);
  });
}
