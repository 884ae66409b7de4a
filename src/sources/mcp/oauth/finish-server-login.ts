import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { Reach } from "../../../system/addresses/resolve-public.ts";
import { type ClientPackage, loadClientPackage } from "../client-package.ts";
import { createAuthFetch } from "./auth-fetch.ts";
import { abandonedLogin, type PendingLogin } from "./begin-server-login.ts";
import type { Login } from "./login-store.ts";
import type { Returned } from "./redirect.ts";
import { toLogin, toLoginError } from "./to-login.ts";
import { toMetadata, toOauthClient } from "./tokens.ts";

export interface FinishServerLoginOptions {
  readonly signal: AbortSignal;
  readonly now?: () => number;
  readonly reach?: Reach;
}

/** The second half of a login: tokens for what the browser brought back. Its state has been checked. */
export async function finishServerLogin(
  pending: PendingLogin,
  returned: Returned,
  { signal, now = Date.now, reach }: FinishServerLoginOptions,
): Promise<Login> {
  const { namesItself, redirect, verifier, ...bound } = pending;
  const server = new URL(pending.url);
  const sdk = await loadClientPackage();
  const http = createAuthFetch({ server, signal, ...(reach === undefined ? {} : { reach }) });
  try {
    const code = readCode(returned, pending, sdk);
    const tokens = await sdk.exchangeAuthorization(pending.issuer, {
      metadata: {
        ...toMetadata(pending, server),
        authorization_response_iss_parameter_supported: namesItself === true,
      },
      clientInformation: toOauthClient(pending),
      authorizationCode: code,
      ...(returned.iss === undefined || namesItself === null ? {} : { iss: returned.iss }),
      codeVerifier: verifier,
      redirectUri: redirect,
      ...(pending.resource === null ? {} : { resource: pending.resource }),
      fetchFn: http.fetch,
    });
    return toLogin(tokens, bound, now());
  } catch (error) {
    throw signal.aborted ? abandonedLogin() : toLoginError(error, "asking for a token", sdk);
  } finally {
    http.close();
  }
}

/** The issuer is checked first (RFC 9207): of an answer from elsewhere, not even the error is believed. */
function readCode({ code, iss, error }: Returned, { issuer, namesItself }: PendingLogin, sdk: ClientPackage): string {
  if (namesItself !== null)
    sdk.validateAuthorizationResponseIssuer({ iss, expectedIssuer: issuer, issParameterSupported: namesItself });
  if (code !== null) return code;
  const why = error !== null && /^[a-z_]{1,40}$/.test(error) ? ` (${error})` : "";
  throw new ToolcribError("login.failed", `The authorization server refused the login${why}.`);
}
