import type { ToolResult } from "../../../core/call/tool-result.ts";
import { isToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { AskLogin, AskOutcome } from "../../../sources/login-port.ts";
import type { McpResult } from "../../../sources/mcp/mcp-result.ts";
import { failure } from "../../../sources/parts/results.ts";
import type { RunContext, Source } from "../../../sources/source.ts";
import type { LoginAsker } from "../../credentials/ask-login.ts";
import type { UpstreamIdentity } from "../../credentials/contract.ts";
import { derive } from "./with-client.ts";

/** A source of one person, who is asked for the login or key that a call lacks (O12). */
export function withAskedLogin(
  source: Source,
  identity: Pick<UpstreamIdentity, "person" | "state"> | null,
  asker: LoginAsker | null,
): Source {
  const person = identity?.person ?? null;
  if (identity === null || person === null || asker === null) return source;
  const { state } = identity;
  const askLogin: AskLogin = async (by) => {
    if ((await state()).kind === "ready") return null;
    const outcome = await asker.ask({ person, server: source.name, state }, by);
    if (outcome.kind !== "ready") return outcome;
    if (source.restart === undefined && source.status.state === "needs-auth") return COME_AGAIN;
    // It was refused without a login, and would wait before it tries again.
    await source.restart?.();
    return outcome;
  };
  /** The call's own time does not run while a person is asked. */
  const askFor = async (context: RunContext): Promise<AskOutcome | null> => {
    context.onWaiting?.(true);
    try {
      return await askLogin({ client: context.client ?? null, signal: context.signal });
    } finally {
      context.onWaiting?.(false);
    }
  };
  /** A connection is not opened without a login; what has none may lack one at any time. */
  const mayLack = (): boolean => source.status.state !== "connected" || source.kind === "openapi";
  const own: Partial<Source> & { readonly askLogin: AskLogin } = {
    askLogin,
    async run(tool, args, context) {
      const asked = mayLack() ? await askFor(context) : null;
      if (asked !== null && asked.kind !== "ready") return toResult(asked);
      try {
        return await source.run(tool, args, context);
      } catch (error) {
        if (!isToolcribError(error) || context.signal.aborted) throw error;
        // The login may have ended just now.
        const again = asked === null ? await askFor(context) : null;
        if (again === null) throw error;
        if (again.kind !== "ready") return toResult(again);
        if (error.code !== "mcp.unavailable") throw error;
        return source.run(tool, args, context);
      }
    },
  };
  return derive(source, own);
}

/** Another source takes its place, now that there is a key to start it with. */
const COME_AGAIN: AskOutcome = {
  kind: "words",
  text: "That is done, and this was not yet. Make the call again.",
  reason: "the server was not started yet",
};

function toResult(asked: Exclude<AskOutcome, { kind: "ready" }>): ToolResult {
  // No log has the link.
  if (asked.kind === "words") return { ...failure(asked.text, asked.reason), code: "login.needed" };
  const { code, message, data } = asked;
  const result: McpResult = { ...failure(message, "it needs a login"), wireError: { code, message, data } };
  return result;
}
