import type { AuthorizationServerMetadata, FetchLike, OAuthClientMetadata } from "@modelcontextprotocol/client";
import type { ClientPackage } from "../client-package.ts";
import { notOffered } from "./discover.ts";
import type { Login } from "./login-store.ts";
import { toLoginError } from "./to-login.ts";

/** Who we are at an authorization server. */
export type AuthClient = Pick<Login, "clientId" | "clientSecret">;

/** Clients that were registered for earlier logins. */
export interface Registrations {
  /** Null if there is none that can still be used. */
  find(issuer: string, redirect: string): Promise<AuthClient | null>;
  keep(issuer: string, redirect: string, client: AuthClient): Promise<void>;
}

export interface AuthClientOptions {
  /** The client that the entry names. */
  readonly configured: { readonly clientId: string | null; readonly clientSecret: string | null };
  /** The https address of our own document about ourselves; null if we have none that others can read. */
  readonly document: string | null;
  /** Null: one is registered for each login. */
  readonly registrations: Registrations | null;
  readonly redirect: string;
  readonly scope: string | null;
  readonly metadata: AuthorizationServerMetadata;
  readonly fetch: FetchLike;
  readonly sdk: ClientPackage;
}

/** The configured client, our own document about ourselves, or one that is registered; in that order. */
export async function findAuthClient(options: AuthClientOptions): Promise<AuthClient> {
  const { configured, document, registrations, redirect, metadata } = options;
  const { clientId } = configured;
  const readsDocuments = metadata.client_id_metadata_document_supported === true;
  if (clientId !== null) {
    if (clientId.startsWith("https://") && !readsDocuments)
      throw notOffered("its authorization server does not read documents about clients; oauth.clientId names one");
    return { clientId, clientSecret: configured.clientSecret };
  }
  const methods = metadata.token_endpoint_auth_methods_supported ?? ["none"];
  if (document !== null && readsDocuments && methods.includes("none"))
    return { clientId: document, clientSecret: null };
  if (metadata.registration_endpoint === undefined)
    throw notOffered("its authorization server registers no clients; register one there and set oauth.clientId");
  const known = (await registrations?.find(metadata.issuer, redirect)) ?? null;
  if (known !== null) return known;
  const made = await register(options);
  await registrations?.keep(metadata.issuer, redirect, made);
  return made;
}

async function register({ redirect, scope, metadata, fetch, sdk }: AuthClientOptions): Promise<AuthClient> {
  const { protocol } = new URL(redirect);
  const clientMetadata: OAuthClientMetadata = {
    client_name: "Toolcrib",
    redirect_uris: [redirect],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    application_type: protocol === "https:" ? "web" : "native",
  };
  try {
    const made = await sdk.registerClient(metadata.issuer, {
      metadata,
      clientMetadata,
      fetchFn: fetch,
      ...(scope === null ? {} : { scope }),
    });
    return { clientId: made.client_id, clientSecret: made.client_secret ?? null };
  } catch (error) {
    throw toLoginError(error, "registering as a client", sdk);
  }
}
