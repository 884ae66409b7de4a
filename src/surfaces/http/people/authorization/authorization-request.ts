import { SCOPES } from "../../door/people-port.ts";
import { OAuthFailure } from "./oauth-failure.ts";

/** What a client asks for, beyond who it is and where it gets its answer. */
export interface AuthorizationRequest {
  readonly challenge: string;
  /** Of ours; those that we do not know are left out. */
  readonly scopes: readonly string[];
  /** Whether the person is to be asked even if they agreed before. */
  readonly isAsked: boolean;
  /** Whether nobody may be asked anything. */
  readonly isSilent: boolean;
}

/** SHA-256 in base64url. */
const CHALLENGE = /^[\w-]{43}$/;

/** Throws what is said to the client, at its redirect address. */
export function readAuthorizationRequest(given: ReadonlyMap<string, string>, resource: string): AuthorizationRequest {
  const get = (name: string): string => given.get(name) ?? "";
  if (get("request") !== "") throw new OAuthFailure("request_not_supported", "request objects are not read here");
  if (get("request_uri") !== "") throw new OAuthFailure("request_uri_not_supported", "no request is fetched");
  if (get("response_type") === "") throw new OAuthFailure("invalid_request", "response_type is missing");
  if (get("response_type") !== "code")
    throw new OAuthFailure("unsupported_response_type", "only response_type=code is answered");
  if (!["", "query"].includes(get("response_mode")))
    throw new OAuthFailure("invalid_request", "only response_mode=query is answered");
  if (get("code_challenge") === "") throw new OAuthFailure("invalid_request", "code_challenge is missing (PKCE)");
  if (get("code_challenge_method") !== "S256")
    throw new OAuthFailure("invalid_request", "code_challenge_method must be S256");
  if (!CHALLENGE.test(get("code_challenge")))
    throw new OAuthFailure("invalid_request", "code_challenge must be a SHA-256 digest in base64url, 43 characters");
  checkResource(get("resource"), resource);
  const prompts = get("prompt").split(/\s+/);
  return {
    challenge: get("code_challenge"),
    scopes: readScopes(get("scope")),
    isAsked: prompts.includes("consent"),
    isSilent: prompts.includes("none"),
  };
}

/** Absent, it is ours; anything else than ours is somebody else's. */
export function checkResource(given: string, resource: string): void {
  if (given === "" || (URL.canParse(given) && new URL(given).href === resource)) return;
  throw new OAuthFailure("invalid_target", `tokens of this gateway are for ${resource} alone`);
}

/**
 * Clients send spaces too many, and scopes of others. Without any of ours, a client gets both: that is what all of them
 * need, and most do not come back for more.
 */
function readScopes(text: string): readonly string[] {
  const asked = text.split(/\s+/);
  // Calling tools is of no use to somebody who does not see them.
  const has = (scope: string): boolean =>
    asked.includes(scope) || (scope === "tools:read" && asked.includes("tools:call"));
  const found = SCOPES.filter(has);
  return found.length === 0 ? SCOPES : found;
}
