import type { ToolResult } from "../../core/call/tool-result.ts";
import { isToolcribError, ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { Tool } from "../../core/tool/tool.ts";
import { CANCELLED, failure } from "../parts/results.ts";
import type { RunContext } from "../source.ts";
import type { CallOutcome } from "./breaker.ts";
import type { Clock } from "./clock.ts";
import type { Connection } from "./connection.ts";
import { toResult } from "./to-result.ts";

export interface CallSpec {
  readonly server: string;
  readonly tool: Tool;
  readonly args: Readonly<Record<string, unknown>>;
  readonly context: RunContext;
  readonly timeout: number;
  readonly clock: Clock;
  readonly redact: (text: string) => string;
}

export interface Finished {
  readonly result: ToolResult;
  readonly outcome: CallOutcome;
}

/** One call on one connection, never repeated. Rejects with `mcp.disconnected` when the server is gone. */
export async function runCall(connection: Connection, spec: CallSpec): Promise<Finished> {
  const { server, tool, args, context, timeout, clock } = spec;
  const definition = tool.original ?? tool;
  const controller = new AbortController();
  let ended: "timeout" | "cancelled" | null = null;
  const stop = (why: "timeout" | "cancelled", text: string) => {
    ended ??= why;
    // The text goes to the server with the cancellation.
    controller.abort(text);
  };
  const timer = clock.setTimeout(() => stop("timeout", `no answer within ${timeout} ms`), timeout);
  const onAbort = () => stop("cancelled", "the call was cancelled");
  context.signal.addEventListener("abort", onAbort, { once: true });
  if (context.signal.aborted) onAbort();
  try {
    const answer = await connection.call(definition.name, args, {
      signal: controller.signal,
      inputSchema: definition.inputSchema,
      ...(context.onProgress === undefined ? {} : { onProgress: context.onProgress }),
    });
    if (answer.kind === "error") return answered(failure(`The tool failed: ${answer.message}`, answer.message));
    const result = toResult(answer.result);
    return answered(result ?? failure("The tool's result cannot be read.", "the server's result has no content"));
  } catch (error) {
    if (ended === "timeout") return { result: timedOut(server, timeout), outcome: "timeout" };
    if (ended === "cancelled") return { result: CANCELLED, outcome: "neither" };
    if (!isToolcribError(error)) throw error;
    if (error.code === "mcp.result-too-large" || error.code === "mcp.invalid-answer") {
      return answered(failure(error.message, `${error.code}: ${error.message}`));
    }
    throw new ToolcribError(error.code, spec.redact(`${describe(error, server)}`), { names: [server] });
  } finally {
    clock.clearTimeout(timer);
    context.signal.removeEventListener("abort", onAbort);
  }
}

function answered(result: ToolResult): Finished {
  return { result, outcome: "answered" };
}

function timedOut(server: string, timeout: number): ToolResult {
  return {
    textResultForLlm: `The tool did not answer within ${timeout / 1000} s. It was told to stop; whether it had an effect is unknown.`,
    resultType: "timeout",
    error: `the MCP server "${server}" did not answer within ${timeout} ms`,
    cancelledBy: "timeout",
  };
}

function describe(error: ToolcribError, server: string): string {
  if (error.code !== "mcp.disconnected") return `The MCP server "${server}": ${error.message}`;
  return `The MCP server "${server}" went away during the call; whether the call had an effect is unknown.`;
}
