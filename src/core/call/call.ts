import type { Invocation } from "../tool/handler.ts";

/** A line of the code of `run_code`. */
export interface CodeLine {
  readonly line: number;
  /** What stands there. */
  readonly text: string;
}

/** A request to run a tool, as a model or a client made it. */
export interface Call {
  readonly id: string;
  readonly toolName: string;
  /** Parsed JSON of any shape, not yet held against the tool's schema. */
  readonly arguments: unknown;
  /** The call inside which it was made, and in whose place it runs. */
  readonly parentId?: string;
  /** The line of code that made it. */
  readonly codeLine?: CodeLine;
}

export function toInvocation(call: Call, sessionId: string, signal: AbortSignal): Invocation {
  return { sessionId, toolCallId: call.id, toolName: call.toolName, arguments: call.arguments, signal };
}
