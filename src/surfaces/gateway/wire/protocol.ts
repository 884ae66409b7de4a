/** Versions with sessions, newest first; the newest is offered to clients with an unknown one. */
export const LEGACY_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;
/** Versions without sessions: each request identifies its client. */
export const MODERN_VERSIONS: readonly string[] = ["2026-07-28"];
/** The one version in which a client asks for tasks; since then they are an extension. */
export const TASK_VERSION = "2025-11-25";
/** The one version with arrays of messages. */
export const BATCH_VERSION = "2025-03-26";

/** Versions are dates, and the first modern one draws the line for all that follow. */
export function isModernVersion(version: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= "2026-07-28";
}

export const META = {
  version: "io.modelcontextprotocol/protocolVersion",
  client: "io.modelcontextprotocol/clientInfo",
  capabilities: "io.modelcontextprotocol/clientCapabilities",
  logLevel: "io.modelcontextprotocol/logLevel",
  server: "io.modelcontextprotocol/serverInfo",
  subscription: "io.modelcontextprotocol/subscriptionId",
  task: "io.modelcontextprotocol/related-task",
} as const;

export const ERROR = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  /** For what neither the protocol nor JSON-RPC has a code for: sessions, sizes, HTTP. */
  server: -32000,
  headers: -32020,
  capability: -32021,
  version: -32022,
} as const;

export const LOG_LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export function isLogLevel(value: unknown): value is LogLevel {
  return LOG_LEVELS.some((level) => level === value);
}

/** Whether a message of that level passes the wanted level; one of an unknown level does. */
export function passesLevel(wish: LogLevel, level: unknown): boolean {
  return !isLogLevel(level) || LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(wish);
}
