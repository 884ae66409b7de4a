import type { Invocation } from "../tool/handler.ts";

/** A request to run a tool, as a model or a client made it. */
export interface Call {
  readonly id: string;
  readonly toolName: string;
  /** Parsed JSON of any shape, not yet held against the tool's schema. */
  readonly arguments: unknown;
  /** The call inside which it was made, and in whose place it runs. */
  readonly parentId?: string;
}

export function toInvocation(call: Call, sessionId: string, signal: AbortSignal): Invocation {
  return { sessionId, toolCallId: call.id, toolName: call.toolName, arguments: call.arguments, signal };
}
