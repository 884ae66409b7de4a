import type { AskToken } from "../../../sources/token-port.ts";
import { type Live, tellPassing } from "../state/live.ts";
import { givenServers } from "../tools/given-servers.ts";
import { type Json, recordOf, stated, textOf } from "../wire/wire-values.ts";
import { isAwaited } from "./interests.ts";

/** A server wants a token: whoever of the clients logs in for the session is asked; the first answer counts. */
export function createTokenRequests(get: () => Live): AskToken {
  return async ({ server, url, reason, challenge, resourceMetadata }, signal) => {
    const live = get();
    if (!isAwaited(live, REQUIRED)) return null;
    const requestId = live.server.around.newId();
    const asked = stated({
      requestId,
      serverName: server,
      serverUrl: url.href,
      reason,
      wwwAuthenticateParams: challenge,
      resourceMetadata: resourceMetadata ?? undefined,
      staticClientConfig: clientConfigOf(live, server),
    });
    const answer = await new Promise<Json>((resolve) => {
      live.questions.set(requestId, { kind: "oauth", asked, answer: resolve });
      signal.addEventListener("abort", () => resolve({ kind: "cancelled" }), { once: true });
      tellPassing(live, REQUIRED, asked);
    });
    live.questions.delete(requestId);
    const token = answer.kind === "token" ? (textOf(answer.accessToken) ?? null) : null;
    tellPassing(live, "mcp.oauth_completed", { requestId, outcome: token === null ? "cancelled" : "token" });
    return token;
  };
}

const REQUIRED = "mcp.oauth_required";

function clientConfigOf(live: Live, server: string): Json | undefined {
  const { oauthClientId, oauthPublicClient } = recordOf(givenServers(live)[server]);
  const clientId = textOf(oauthClientId);
  if (clientId === undefined) return undefined;
  return stated({ clientId, publicClient: typeof oauthPublicClient === "boolean" ? oauthPublicClient : undefined });
}
