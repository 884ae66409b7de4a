import type { ToolResult } from "../../core/call/tool-result.ts";

/** A result of a built-in that did what it was asked. */
export function succeed(textResultForLlm: string, structured?: unknown): ToolResult {
  return { textResultForLlm, resultType: "success", ...(structured === undefined ? {} : { structured }) };
}

/** A result of a built-in that did not. The text says what a model can do about it, and names nothing it may not see. */
export function fail(textResultForLlm: string, more: { structured?: unknown; error?: string } = {}): ToolResult {
  return { textResultForLlm, resultType: "failure", ...more };
}
