import type { OAuthTokens } from "@modelcontextprotocol/client";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { ClientPackage } from "../client-package.ts";
import type { Login } from "./login-store.ts";

/**
 * The authorization server's answer in the form that is stored. Throws `login.failed` for tokens that cannot be sent.
 */
export function toLogin(tokens: OAuthTokens, bound: Omit<Login, "access" | "refresh" | "expires">, now: number): Login {
  const { access_token: access, refresh_token: refresh, token_type: type, expires_in: lifetime } = tokens;
  if (!/^bearer$/i.test(type)) throw new ToolcribError("login.failed", "The login gave a token of an unknown kind.");
  if (!isSendable(access)) throw new ToolcribError("login.failed", "The login gave a token that HTTP cannot carry.");
  const expires = lifetime === undefined || !Number.isFinite(lifetime) ? null : now + lifetime * 1000;
  return { ...bound, access, refresh: refresh ?? null, expires };
}

function isSendable(token: string): boolean {
  return /^[\x21-\x7e]{1,16384}$/.test(token);
}

/**
 * The error for a failed login. Texts of servers are left out: they are untrusted, and may repeat what was sent to
 * them. Only the code of an OAuth error is shown.
 */
export function toLoginError(error: unknown, doing: string, sdk: ClientPackage): ToolcribError {
  if (error instanceof ToolcribError) return error;
  const failed = (why: string) => new ToolcribError("login.failed", `The login failed while ${doing}: ${why}.`);
  if (error instanceof sdk.IssuerMismatchError) return failed("the answer is from another issuer than expected");
  if (error instanceof sdk.RegistrationRejectedError)
    return failed(`registering as a client was refused (HTTP ${error.status}); set oauth.clientId in its entry`);
  if (error instanceof sdk.InsecureTokenEndpointError) return failed("the token endpoint is not https");
  if (error instanceof sdk.OAuthError) {
    const code = String(error.code);
    return failed(/^[a-z_]{1,40}$/.test(code) ? `the authorization server says ${code}` : "it was refused");
  }
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (/^E[A-Z_]+$/.test(code)) return failed(`it could not be reached (${code})`);
  if (error instanceof Error && error.name === "TimeoutError") return failed("there was no answer in time");
  return failed("the answer breaks the protocol");
}

/** Whether retrying is useless: the authorization server understood the request and refused it. */
export function isFinal(error: unknown, sdk: ClientPackage): boolean {
  const passing: readonly string[] = ["server_error", "temporarily_unavailable", "too_many_requests"];
  return error instanceof sdk.OAuthError && !passing.includes(String(error.code));
}

/** Whether what was refused is the login itself, and not the client that asked. */
export function isAboutGrant(error: unknown, sdk: ClientPackage): boolean {
  return error instanceof sdk.OAuthError && String(error.code) === "invalid_grant";
}
