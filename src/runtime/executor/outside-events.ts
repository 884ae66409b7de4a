import type { ResultType } from "../../core/call/tool-result.ts";
import type { ExecutorPorts } from "./ports.ts";
import type { PreparedCall } from "./prepare-call.ts";

/**
 * An extension answers its calls itself, in another process: whoever watches a session hears of them as of every call
 * that is answered outside. Returns what to call when the call has ended.
 */
export function tellOutsideCall(
  { call, tool, source, args }: PreparedCall,
  { sessionId, emit, newId }: Pick<ExecutorPorts, "sessionId" | "emit" | "newId">,
): (resultType: ResultType) => void {
  const owner = tool.owner ?? { kind: "extension", name: source.name };
  const about = { requestId: newId(), owner, toolCallId: call.id, toolName: tool.name };
  emit("external_tool.requested", { ...about, sessionId, arguments: args });
  let isOver = false;
  return (resultType) => {
    // A call that was given up ends, and may be answered after all.
    if (!isOver) emit("external_tool.completed", { ...about, resultType });
    isOver = true;
  };
}
