import type { Reach } from "../../../system/addresses/resolve-public.ts";
import { type ClientPackage, loadClientPackage } from "../client-package.ts";
import { checkAuthAddress } from "./auth-address.ts";
import { createAuthFetch } from "./auth-fetch.ts";
import type { Login } from "./login-store.ts";
import { toLoginError } from "./to-login.ts";
import { toOauthClient } from "./tokens.ts";

export type Revocation =
  | { readonly kind: "revoked" }
  /** The authorization server named no address for it at the login. */
  | { readonly kind: "not-offered" }
  | { readonly kind: "failed"; readonly why: string };

export interface RevokeOptions {
  readonly server: URL;
  readonly signal: AbortSignal;
  readonly reach?: Reach;
}

/**
 * Revokes the tokens of a login with their issuer (RFC 7009), at the address named at the login. The refresh token
 * comes first, because servers drop the others with it. Never rejects.
 */
export async function revokeLogin(login: Login, { server, signal, reach }: RevokeOptions): Promise<Revocation> {
  if (login.revocation === null) return { kind: "not-offered" };
  const { endpoint, authMethods } = login.revocation;
  const sdk = await loadClientPackage();
  const http = createAuthFetch({ server, signal, ...(reach === undefined ? {} : { reach }) });
  try {
    const url = checkAuthAddress(endpoint, server, "revocation endpoint");
    for (const [token, hint] of [
      [login.refresh, "refresh_token"],
      [login.access, "access_token"],
    ] as const) {
      if (token === null) continue;
      const form = new URLSearchParams({ token, token_type_hint: hint });
      const headers = identify(login, authMethods, form, sdk);
      const { status } = await http.fetch(url, { method: "POST", headers, body: form });
      if (status !== 200) return { kind: "failed", why: `its authorization server answered with HTTP ${status}` };
    }
    return { kind: "revoked" };
  } catch (error) {
    return { kind: "failed", why: toLoginError(error, "revoking its tokens", sdk).message.replace(/\.$/, "") };
  } finally {
    http.close();
  }
}

/** Identifies the client in the header or in the form, as at the token endpoint. */
function identify(
  login: Login,
  authMethods: readonly string[],
  form: URLSearchParams,
  sdk: ClientPackage,
): Record<string, string> {
  const { clientId, clientSecret } = login;
  const headers = { "content-type": "application/x-www-form-urlencoded", accept: "application/json" };
  const method = sdk.selectClientAuthMethod(toOauthClient(login), [...authMethods]);
  if (clientSecret !== null && method === "client_secret_basic") {
    return { ...headers, authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}` };
  }
  form.set("client_id", clientId);
  if (clientSecret !== null && method === "client_secret_post") form.set("client_secret", clientSecret);
  return headers;
}
