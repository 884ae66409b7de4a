import type { ToolResult } from "../../../core/call/tool-result.ts";
import type { PathRefusal } from "../../../system/paths/path-refusal.ts";

/** A result of a built-in that did what it was asked. */
export function succeed(textResultForLlm: string, structured?: unknown): ToolResult {
  return { textResultForLlm, resultType: "success", ...(structured === undefined ? {} : { structured }) };
}

/** A result of a built-in that did not. The text says what a model can do about it, and names nothing it may not see. */
export function fail(textResultForLlm: string, more: { structured?: unknown; error?: string } = {}): ToolResult {
  return { textResultForLlm, resultType: "failure", ...more };
}

/** A result of a built-in that was not let at a path; a rule that closes it is a denial like any other. */
export function refuse({ kind, message }: PathRefusal): ToolResult {
  return kind === "closed" ? { textResultForLlm: message, resultType: "denied", error: message } : fail(message);
}
