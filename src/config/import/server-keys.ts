/** The keys under which products write one setting of a server; of several the first that is there counts. */
export const SERVER_KEYS = {
  type: ["type", "transport"],
  process: ["command", "args", "env", "envFile", "cwd"],
  address: ["url", "serverUrl", "httpUrl"],
  headers: ["headers", "http_headers"],
  /** Names of variables instead of values. */
  variables: ["env_http_headers", "bearer_token_env_var", "env_vars"],
  only: ["tools", "includeTools", "enabled_tools"],
  without: ["excludeTools", "disabled_tools", "disabledTools"],
  milliseconds: ["timeout"],
  seconds: ["tool_call_timeout", "tool_timeout_sec"],
  startMilliseconds: ["startup_timeout_ms"],
  startSeconds: ["startup_timeout_sec", "session_init_timeout"],
  switches: ["enabled", "disabled", "alwaysLoad"],
  defer: ["defer", "deferTools"],
  /** They do not affect tools. */
  idle: ["description", "name", "gallery", "version", "displayName", "startTimeout", "required", "extensionName"],
} as const satisfies Record<string, readonly string[]>;

/** Keys whose settings are imported, or need not be. */
export const KNOWN_KEYS: ReadonlySet<string> = new Set(Object.values(SERVER_KEYS).flat());

const { milliseconds, seconds, startMilliseconds, startSeconds } = SERVER_KEYS;
export const TIME_KEYS: ReadonlySet<string> = new Set([
  ...[...milliseconds, ...seconds],
  ...[...startMilliseconds, ...startSeconds],
]);
