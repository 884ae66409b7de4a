import type { ToolResult } from "../../core/call/tool-result.ts";

/** The result of an MCP tool with its server's own words, for surfaces that speak the protocol; no model reads them. */
export interface McpResult extends ToolResult {
  /** The result as the server said it; `reword` leaves it out, or a change would be undone there. */
  readonly wire?: Readonly<Record<string, unknown>>;
  /** The same where the server answered with an error of the protocol instead of a result. */
  readonly wireError?: { readonly code: number; readonly message: string; readonly data?: unknown };
}
