import type { ToolResult } from "../../../core/call/tool-result.ts";
import type { PathRefusal } from "../../../system/paths/path-refusal.ts";

/** A successful result of a built-in. */
export function succeed(textResultForLlm: string, structured?: unknown): ToolResult {
  return { textResultForLlm, resultType: "success", ...(structured === undefined ? {} : { structured }) };
}

/** A failed result of a built-in. The text says what a model can do about it, and names nothing that it may not see. */
export function fail(textResultForLlm: string, more: { structured?: unknown; error?: string } = {}): ToolResult {
  return { textResultForLlm, resultType: "failure", ...more };
}

/** The result of a built-in that was refused a path; a rule that closes it is a denial like any other. */
export function refuse({ kind, message }: PathRefusal): ToolResult {
  return kind === "closed" ? { textResultForLlm: message, resultType: "denied", error: message } : fail(message);
}
