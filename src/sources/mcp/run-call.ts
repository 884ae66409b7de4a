import { fromSignal } from "../../core/call/cancelling.ts";
import type { ToolResult } from "../../core/call/tool-result.ts";
import { isToolcribError, ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { Tool } from "../../core/tool/tool.ts";
import type { Clock } from "../../system/time/clock.ts";
import type { CallOutcome } from "../parts/breaker.ts";
import { CANCELLED, failure } from "../parts/results.ts";
import type { RunContext } from "../source.ts";
import type { Connection } from "./connection.ts";
import { type ConversationEnd, converse } from "./converse.ts";
import { withLogLevel } from "./create-peer.ts";
import { converseByTask, needsTask } from "./follow-task.ts";
import { buildParameterHeaders } from "./header-parameters.ts";
import type { McpLimits } from "./limits.ts";
import type { McpResult } from "./mcp-result.ts";
import { toMcpResult } from "./to-result.ts";
import type { Wishes } from "./wishes.ts";

export interface CallSpec {
  readonly server: string;
  readonly tool: Tool;
  /** The tool as its server listed it. */
  readonly definition: Readonly<Record<string, unknown>> | null;
  readonly args: Readonly<Record<string, unknown>>;
  readonly context: RunContext;
  readonly timeout: number;
  readonly clock: Clock;
  readonly limits: McpLimits;
  readonly wishes: Wishes;
  readonly redact: (text: string) => string;
}

export interface ServerCallEnd {
  readonly result: ToolResult;
  readonly outcome: CallOutcome;
}

/** One call on one connection, never repeated. Rejects with `mcp.disconnected` if the server is gone. */
export function runServerCall(connection: Connection, spec: CallSpec): Promise<ServerCallEnd> {
  const { tool, args, context, timeout, clock, limits } = spec;
  const { client = null, meta, onProgress = null, onWaiting = null } = context;
  const definition = tool.original ?? tool;
  const call = { name: definition.name, arguments: args };
  const withMeta = meta === undefined ? call : { name: definition.name, arguments: args, _meta: meta };
  const run = needsTask(spec.definition, connection) ? converseByTask : converse;
  return run(connection, {
    method: "tools/call",
    params: withLogLevel(withMeta, connection, spec.wishes),
    client,
    timeout,
    cancelling: context.cancelling ?? fromSignal(context.signal),
    clock,
    limits,
    headers: connection.wantsHeaders ? buildParameterHeaders(definition.inputSchema, args) : null,
    onProgress,
    onWaiting,
  }).then(
    (ended) => toFinished(ended, spec),
    (error: unknown) => toFailure(error, spec),
  );
}

function toFinished(ended: ConversationEnd, { server, timeout }: CallSpec): ServerCallEnd {
  if (ended.kind === "timeout") return { result: timedOut(server, timeout), outcome: "timeout" };
  if (ended.kind === "cancelled") return { result: CANCELLED, outcome: "neither" };
  const { answer } = ended;
  if (answer.kind === "error") {
    const { kind: _, ...wireError } = answer;
    const result: McpResult = { ...failure(`The tool failed: ${answer.message}`, answer.message), wireError };
    return answered(result);
  }
  const result = toMcpResult(answer.result);
  return answered(result ?? failure("The tool's result cannot be read.", "the server's result has no content"));
}

/** A fault of the server becomes a result; everything else is thrown. */
function toFailure(error: unknown, { server, redact }: CallSpec): ServerCallEnd {
  if (!isToolcribError(error)) throw error;
  if (error.code === "mcp.result-too-large" || error.code === "mcp.invalid-answer")
    return answered({ ...failure(error.message, `${error.code}: ${error.message}`), code: error.code });
  throw new ToolcribError(error.code, redact(describe(error, server)), { names: [server] });
}

function answered(result: ToolResult): ServerCallEnd {
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
