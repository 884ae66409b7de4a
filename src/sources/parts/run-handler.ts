import { fromThrown, type ToolResult, toToolResult } from "../../core/call/tool-result.ts";
import type { DefinedTool } from "../../core/tool/define-tool.ts";
import type { Tool } from "../../core/tool/tool.ts";
import type { RunContext } from "../source.ts";
import { CANCELLED, failure } from "./results.ts";
import { untilTold } from "./until-told.ts";

/**
 * Runs a handler in this process. There is exactly one answer whatever the handler does: throw, return nonsense, or
 * keep running after it was told to stop, in which case the call keeps its place.
 */
export async function runHandler(
  { handler, parse }: Pick<DefinedTool, "handler" | "parse">,
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  context: RunContext,
): Promise<ToolResult> {
  const { sessionId, toolCallId, signal } = context;
  if (signal.aborted) return CANCELLED;
  const work = async (): Promise<ToolResult> => {
    const parsed = parse === undefined ? { ok: true as const, args } : await parse(args);
    if (!parsed.ok) return failure(`The arguments do not fit the tool: ${parsed.problems.join("; ")}`);
    const invocation = { sessionId, toolCallId, toolName: tool.name, arguments: args, signal };
    // The type of the arguments is known only to the author of the handler and its schema, which was just checked.
    return toToolResult(await handler(parsed.args as never, invocation));
  };
  return untilTold(work().catch(fromThrown), context);
}
