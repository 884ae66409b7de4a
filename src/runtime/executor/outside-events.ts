import type { ResultType } from "../../core/call/tool-result.ts";
import type { ExecutorPorts } from "./ports.ts";
import type { PreparedCall } from "./prepare-call.ts";

/**
 * An extension answers its calls itself, in another process, so they are reported to observers of a session like every
 * call that is answered outside. Returns what to call when the call has ended.
 */
export function reportOutsideCall(
  { call, tool, source, args }: PreparedCall,
  { sessionId, emit, newId }: Pick<ExecutorPorts, "sessionId" | "emit" | "newId">,
): (resultType: ResultType) => void {
  const owner = tool.owner ?? { kind: "extension", name: source.name };
  const about = { requestId: newId(), owner, toolCallId: call.id, toolName: tool.name };
  emit("external_tool.requested", { ...about, sessionId, arguments: args });
  let isOver = false;
  return (resultType) => {
    // A cancelled call ends, and may still be answered.
    if (!isOver) emit("external_tool.completed", { ...about, resultType });
    isOver = true;
  };
}
