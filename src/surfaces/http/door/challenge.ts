import { SCOPES } from "./people-port.ts";

/** Headers that say how to get a token, or a better one. */
export type ChallengeHeaders = Readonly<Record<string, string>>;

/** What is wrong with the token of a request. */
export type TokenProblem =
  | { readonly kind: "missing" }
  | { readonly kind: "unknown" }
  | { readonly kind: "too-little" };

/**
 * The header that asks for a token, or for another one. Both scopes are asked for: clients log in once with what they are
 * asked for first, and most do not come back for more. Why a token does not count is said in the log alone (O2).
 */
export function toChallenge({ kind }: TokenProblem, metadata: string | null): ChallengeHeaders {
  const parts = [
    ...(metadata === null ? ['realm="toolcrib"'] : []),
    ...(kind === "unknown" ? ['error="invalid_token"'] : kind === "too-little" ? ['error="insufficient_scope"'] : []),
    ...(kind === "unknown" && metadata !== null ? ['error_description="The token is not valid here"'] : []),
    ...(metadata === null ? [] : [`resource_metadata="${metadata}"`, `scope="${SCOPES.join(" ")}"`]),
  ];
  return { "www-authenticate": `Bearer ${parts.join(", ")}` };
}
