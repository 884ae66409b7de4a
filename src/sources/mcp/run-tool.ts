import type { ToolResult } from "../../core/call/tool-result.ts";
import { isToolcribError, ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { Tool } from "../../core/tool/tool.ts";
import { CANCELLED } from "../parts/results.ts";
import type { RunContext } from "../source.ts";
import type { Connection } from "./connection.ts";
import { runServerCall } from "./run-call.ts";
import type { ServerParts, ServerSetup } from "./server-parts.ts";

/** One call of a tool of the server, under its breaker. */
export async function runServerTool(
  setup: ServerSetup,
  parts: ServerParts,
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  context: RunContext,
  isClosed: () => boolean,
): Promise<ToolResult> {
  const { name, spec, limits, clock, redact } = setup;
  const { supervisor, list, breaker, wishes } = parts;
  if (isCancelled(context)) return CANCELLED;
  breaker.admit();
  const timeout = tool.timeout ?? limits.callTimeout;
  const { readOnly, idempotent } = (tool.original ?? tool).traits;
  const definition = list.definitionOf(tool);
  const given = { server: name, tool, definition, args, context, timeout, clock, limits, wishes, redact };
  // A call that broke off is repeated once if the server says that this is harmless, and is trusted.
  for (let mayRepeat = spec.trustAnnotations === true && readOnly && idempotent; ; mayRepeat = false) {
    try {
      const connection = supervisor.connection ?? (await awaitServer(name, parts, tool, context));
      const { result, outcome } = await runServerCall(connection, given);
      breaker.settle(outcome);
      return result;
    } catch (error) {
      if (mayRepeat && !isClosed() && isToolcribError(error) && error.code === "mcp.disconnected") continue;
      breaker.settle("neither");
      if (isCancelled(context)) return CANCELLED;
      throw error;
    }
  }
}

/** A call may wait long for a first start, and the tool that it was meant for may have changed by then (E1). */
async function awaitServer(name: string, parts: ServerParts, tool: Tool, context: RunContext): Promise<Connection> {
  const { supervisor, list } = parts;
  const wasLoaded = list.loaded;
  context.onWaiting?.(true);
  try {
    if (!wasLoaded) context.onProgress?.({ message: `Waiting for "${name}" to start`, progress: 0, total: null });
    const connection = await supervisor.ready(context.signal);
    if (!wasLoaded && !list.tools.includes(tool.original ?? tool)) throw changedMeanwhile(name, tool);
    return connection;
  } finally {
    context.onWaiting?.(false);
  }
}

function isCancelled(context: RunContext): boolean {
  return context.cancelling === undefined ? context.signal.aborted : context.cancelling.isCancelled;
}

function changedMeanwhile(server: string, { name }: Tool): ToolcribError {
  const text = `The MCP server "${server}" no longer lists the tool "${name}", or lists it with another definition since it was restarted, so it was not called. Ask for the tools again.`;
  return new ToolcribError("mcp.unavailable", text, { names: [server] });
}
