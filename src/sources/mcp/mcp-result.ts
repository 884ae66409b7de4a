import type { ToolResult } from "../../core/call/tool-result.ts";

/** The result of an MCP tool with the server's raw answer, for surfaces that speak the protocol; no model reads it. */
export interface McpResult extends ToolResult {
  /** The result as the server sent it; `reword` drops it, or its change would be undone there. */
  readonly wire?: Readonly<Record<string, unknown>>;
  /** The same if the server answered with a protocol error instead of a result. */
  readonly wireError?: { readonly code: number; readonly message: string; readonly data?: unknown };
}
