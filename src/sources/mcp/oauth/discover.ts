import type { AuthorizationServerMetadata, FetchLike } from "@modelcontextprotocol/client";
import { isToolcribError, ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { ClientPackage } from "../client-package.ts";
import { checkAuthAddress } from "./auth-address.ts";
import { toLoginError } from "./to-login.ts";

/** Where to log in and for what, with every address checked. */
export interface AuthPlace {
  readonly metadata: AuthorizationServerMetadata;
  /** The resource that the tokens are for (RFC 8707); null if none is named. */
  readonly resource: string | null;
  readonly scope: string | null;
}

export interface DiscoverOptions {
  readonly server: URL;
  /** The entry's own headers, which are sent only to the server itself. */
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: FetchLike;
  readonly sdk: ClientPackage;
  /** What the tokens are for, whatever the server says; null: as it says. */
  readonly resource: string | null;
}

/** From the server's refusal to the authorization server that it names. Throws `login.not-offered` if there is none. */
export async function discoverAuth(options: DiscoverOptions): Promise<AuthPlace> {
  const { server, fetch, sdk } = options;
  try {
    const challenge = await challengeOf(options);
    const described = await describeResource(challenge.resourceMetadataUrl, options);
    const wanted = sdk.resourceUrlFromServerUrl(server);
    const resource = options.resource ?? described?.resource ?? wanted.href;
    if (
      options.resource === null &&
      !sdk.checkResourceAllowed({ requestedResource: wanted, configuredResource: resource })
    ) {
      const text = "The server describes itself as another resource than the one its url names, so no login is tried.";
      throw new ToolcribError("login.address-refused", text);
    }
    const [named] = described?.authorization_servers ?? [];
    const issuer = named ?? new URL("/", server).href;
    checkAuthAddress(issuer, server, "authorization server");
    const metadata = await sdk.discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch });
    if (metadata === undefined) throw notOffered("the server names no authorization server that describes itself");
    checkMetadata(metadata, server);
    return { metadata, resource, scope: toScope(challenge.scope ?? described?.scopes_supported?.join(" "), metadata) };
  } catch (error) {
    throw toLoginError(error, "finding out where to log in", sdk);
  }
}

/** The server's answer to an anonymous request. */
async function challengeOf({ server, headers, fetch, sdk }: DiscoverOptions) {
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "toolcrib", version: "0" } },
  });
  const answer = await fetch(server, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json", accept: "application/json, text/event-stream" },
    body,
    signal: AbortSignal.timeout(5_000),
  }).catch((error: unknown) => {
    // A stream that stays open says nothing about logins either.
    if (isToolcribError(error) || !(error instanceof Error) || error.name !== "TimeoutError") throw error;
    return new Response(null);
  });
  return answer.status === 401 || answer.status === 403 ? sdk.extractWWWAuthenticateParams(answer) : {};
}

/** The server's own description (RFC 9728). If it names an address, that must work; otherwise it may have none. */
async function describeResource(named: URL | undefined, { server, fetch, sdk }: DiscoverOptions) {
  if (named !== undefined) checkAuthAddress(named.href, server, "description of the server");
  const place = named === undefined ? {} : { resourceMetadataUrl: named };
  try {
    return await sdk.discoverOAuthProtectedResourceMetadata(server, place, fetch);
  } catch (error) {
    if (named !== undefined || isToolcribError(error)) throw error;
    return null;
  }
}

function checkMetadata(metadata: AuthorizationServerMetadata, server: URL): void {
  const { authorization_endpoint, token_endpoint, registration_endpoint } = metadata;
  checkAuthAddress(authorization_endpoint, server, "authorization endpoint");
  checkAuthAddress(token_endpoint, server, "token endpoint");
  if (registration_endpoint !== undefined) checkAuthAddress(registration_endpoint, server, "registration endpoint");
  // Without PKCE, an intercepted code would be enough to log in.
  if (metadata.code_challenge_methods_supported?.includes("S256") !== true)
    throw notOffered("its authorization server does not offer PKCE with S256");
}

const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/;

/** `offline_access` asks for a refresh token. */
function toScope(
  scope: string | undefined,
  { scopes_supported: supported }: AuthorizationServerMetadata,
): string | null {
  if (scope === undefined || scope.length > 2_000 || !SCOPE.test(scope)) return null;
  const words = scope.split(" ");
  return supported?.includes("offline_access") && !words.includes("offline_access") ? `${scope} offline_access` : scope;
}

export function notOffered(why: string): ToolcribError {
  return new ToolcribError("login.not-offered", `There is no way to log in through a browser: ${why}.`);
}
