import type { IncomingMessage } from "node:http";
import type { Authorizations, IssuedTokens } from "../../../../runtime/people/contract.ts";
import { checkResource } from "./authorization-request.ts";
import { type ProofOptions, proveClient } from "./client-proof.ts";
import { OAuthFailure } from "./oauth-failure.ts";

export interface TokenOptions extends ProofOptions {
  readonly resource: string;
  readonly authorizations: Pick<Authorizations, "redeem" | "refresh" | "revoke">;
}

type Form = ReadonlyMap<string, string>;

const VERIFIER = /^[\w.~-]{43,128}$/;

/** What `/token` answers. A code or refresh token that does not count is `invalid_grant`, whatever the reason. */
export async function answerToken(request: IncomingMessage, form: Form, options: TokenOptions): Promise<object> {
  const client = await proveClient(request, form, options);
  checkResource(form.get("resource") ?? "", options.resource);
  const tokens = await grant(form, client, options.authorizations);
  if (tokens === null) throw new OAuthFailure("invalid_grant", "it is unknown, has expired, or was used before");
  return {
    access_token: tokens.accessToken,
    token_type: "Bearer",
    expires_in: tokens.expiresIn,
    refresh_token: tokens.refreshToken,
    scope: tokens.scopes.join(" "),
  };
}

/** What `/revoke` does. Nobody learns whether a token was known (RFC 7009). */
export async function answerRevoke(request: IncomingMessage, form: Form, options: TokenOptions): Promise<void> {
  const client = await proveClient(request, form, options);
  await options.authorizations.revoke(required(form, "token"), client);
}

function grant(
  form: Form,
  client: string,
  { redeem, refresh }: TokenOptions["authorizations"],
): Promise<IssuedTokens | null> {
  switch (required(form, "grant_type")) {
    case "authorization_code": {
      const verifier = required(form, "code_verifier");
      if (!VERIFIER.test(verifier))
        throw new OAuthFailure("invalid_request", "code_verifier must be 43 to 128 letters, digits or - . _ ~");
      return redeem(required(form, "code"), { client, redirect: form.get("redirect_uri") ?? null, verifier });
    }
    case "refresh_token":
      return refresh(required(form, "refresh_token"), client);
    default:
      throw new OAuthFailure("unsupported_grant_type", "only authorization_code and refresh_token are answered");
  }
}

function required(form: Form, name: string): string {
  const value = form.get(name) ?? "";
  if (value === "") throw new OAuthFailure("invalid_request", `${name} is missing`);
  return value;
}
