import type { ToolResult } from "../../../core/call/tool-result.ts";
import { isToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { AskOutcome } from "../../../sources/login-port.ts";
import type { McpResult } from "../../../sources/mcp/mcp-result.ts";
import { failure } from "../../../sources/parts/results.ts";
import type { RunContext, Source } from "../../../sources/source.ts";
import { derive } from "./with-client.ts";
import type { LoginAsker } from "../../credentials/ask-login.ts";
import type { UpstreamIdentity } from "../../credentials/contract.ts";

export interface LoginOfSource {
  readonly identity: Pick<UpstreamIdentity, "person" | "state">;
  readonly asker: LoginAsker;
}

/** A source of one person, who is asked for the login or key that a call lacks (O12). */
export function withLogin<T extends Source>(source: T, { identity, asker }: LoginOfSource): T {
  const { person, state } = identity;
  if (person === null) return source;
  const askLogin: Source["askLogin"] = async (by) => {
    if ((await state()).kind === "ready") return null;
    const outcome = await asker.ask({ person, server: source.name, state }, by);
    // It was refused without a login, and would wait before it tries again.
    if (outcome.kind === "ready") await source.restart?.();
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
  return derive(source, {
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
  });
}

export function toResult(asked: Exclude<AskOutcome, { kind: "ready" }>): ToolResult {
  if (asked.kind === "words") return { ...failure(asked.text), code: "login.needed" };
  const { code, message, data } = asked;
  const result: McpResult = { ...failure(message), wireError: { code, message, data } };
  return result;
}
