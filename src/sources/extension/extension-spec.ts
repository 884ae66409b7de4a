import type { Origin } from "../../core/codes/origin.ts";
import { DEFAULT_LIMITS, type McpLimits } from "../mcp/limits.ts";

/** One extension: a process that registers tools and answers calls of them. */
export interface ExtensionSpec {
  readonly name: string;
  /** Program and arguments. */
  readonly argv: readonly string[];
  /** Folder in which it starts; null for the session's. */
  readonly cwd: string | null;
  /** Added to the harmless part of the session's environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly origin: Origin;
  /** The script or folder of `.toolcrib/extensions` that it is, with the hash of what was trusted. */
  readonly file?: { readonly name: string; readonly content: string };
}

/** What bounds the cost of one extension; the same figures as for a local MCP server. */
export type ExtensionLimits = Pick<
  McpLimits,
  | "startTimeout"
  | "callWait"
  | "grace"
  | "messageBytes"
  | "skippedBytes"
  | "listTools"
  | "badLines"
  | "badLineWindow"
  | "floodBurst"
  | "floodRate"
  | "backoffFirst"
  | "backoffMost"
  | "stableAfter"
  | "refreshInterval"
>;

export const EXTENSION_LIMITS: ExtensionLimits = { ...DEFAULT_LIMITS, startTimeout: 10_000 };

/** The version of the protocol in `docs/reference/extensions.md`. */
export const PROTOCOL_VERSION = 1;
