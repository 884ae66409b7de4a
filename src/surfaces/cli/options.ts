import { MODES } from "../../core/scene/scene.ts";

export const LOG_LEVELS = ["debug", "info", "warning", "error"] as const;
export type LogDetail = (typeof LOG_LEVELS)[number];

/** For `add`; a command line is always stdio. */
export const SERVER_TYPES = ["http", "sse"] as const;

/** For `--write`. */
export const MCP_CLIENTS = ["claude", "vscode", "cursor"] as const;
export const AUDIT_DECISIONS = ["allow", "deny"] as const;

export const STANDINGS = ["visible", "deferred", "hidden"] as const;

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: that is how a reference is written.
/** Every option of every command; help, the reference page and the parser are made from this table. */
export const OPTIONS = {
  config: { value: "FILE", repeats: false, text: "read this configuration file instead of looking for one" },
  world: {
    value: "FILE",
    repeats: false,
    text: 'read this world file (see snapshot) instead of the configuration; "-" for stdin',
  },
  agent: { value: "NAME", repeats: false, text: "select this agent" },
  model: { value: "ID", repeats: false, text: "for this model" },
  mode: { value: "MODE", repeats: false, text: `one of ${MODES.join(", ")}` },
  include: { value: "LIST", repeats: true, text: "only these tools, toolsets, servers or patterns; comma separated" },
  exclude: { value: "LIST", repeats: true, text: "all but these; added to what is excluded already" },
  standing: { value: "STANDING", repeats: false, text: `show only tools that are ${STANDINGS.join(", ")}` },
  limit: { value: "COUNT", repeats: false, text: "how many tools or rows to return" },
  server: { value: "NAME", repeats: false, text: "only tools of this server" },
  task: { value: "TEXT", repeats: false, text: "what the tools are for, to rank them better" },
  args: { value: "JSON", repeats: false, text: 'arguments of the call as JSON; "@FILE" for a file, "-" for stdin' },
  cases: {
    value: "FILE",
    repeats: false,
    text: "shell commands or tool definitions, and what to expect of them, as JSON lines",
  },
  catalog: { value: "FILE", repeats: true, text: "tools as JSON lines; for tokens, JSON files of servers' tools" },
  queries: { value: "FILE", repeats: false, text: "queries with the tools that answer them, as JSON lines" },
  "no-start": { value: null, repeats: false, text: "start no server; their tools are then unknown" },
  timeout: { value: "SECONDS", repeats: false, text: "how long to wait for servers to start; 10 when left out" },
  "no-open": { value: null, repeats: false, text: "open no browser for a login; the address is shown anyway" },
  url: { value: "URL", repeats: false, text: "address of a remote server; --url itself can be left out" },
  type: { value: "TYPE", repeats: false, text: `how to reach it: one of ${SERVER_TYPES.join(", ")}` },
  header: { value: "NAME=VALUE", repeats: true, text: "HTTP header; write ${VARIABLE} for a secret" },
  env: { value: "NAME=VALUE", repeats: true, text: "variable of its environment; write ${VARIABLE} for a secret" },
  tools: { value: "LIST", repeats: true, text: "only these of its tools; comma separated" },
  only: { value: "NAME", repeats: true, text: "only this server, hook, rule …; its name, or its kind and name" },
  trust: { value: null, repeats: false, text: "trust the entry that is written, also without a terminal" },
  force: { value: null, repeats: false, text: "replace what is there" },
  "dry-run": { value: null, repeats: false, text: "show what would be written, and write nothing" },
  port: { value: "PORT", repeats: false, text: "listen on this port and no other" },
  host: { value: "HOST", repeats: false, text: "listen on this address" },
  "allow-remote": { value: null, repeats: false, text: "listen on an address that other machines can reach" },
  write: {
    value: "CLIENT",
    repeats: true,
    text: `write toolcrib connect into the project's configuration of ${MCP_CLIENTS.join(", ")}; comma separated`,
  },
  move: { value: null, repeats: false, text: "with --write, move the servers in these files into toolcrib.yaml" },
  undo: { value: null, repeats: false, text: "put back the files that --write changed last, and start nothing" },
  detach: { value: null, repeats: false, text: "run in the background" },
  idle: { value: "SECONDS", repeats: false, text: "end after this long without clients" },
  workspace: { value: "DIR", repeats: false, text: "the workspace, in place of the one around the current folder" },
  all: { value: null, repeats: false, text: "of every workspace" },
  profile: { value: "NAME", repeats: false, text: "as the entry of gateway.clients with this name" },
  fresh: {
    value: null,
    repeats: false,
    text: "start servers for this answer, also where a Toolcrib runs that could give it",
  },
  stdio: { value: null, repeats: false, text: "serve one client on standard input and output" },
  http: { value: null, repeats: false, text: "serve clients over HTTP" },
  audit: { value: "FILE", repeats: false, text: "write the log of calls to this file" },
  "no-audit": { value: null, repeats: false, text: "keep the log of calls in memory only" },
  tool: { value: "TOOL", repeats: false, text: "only calls of this tool; * stands for anything" },
  client: {
    value: "CLIENT",
    repeats: false,
    text: "as this client gets them, by the name it gives itself; for audit, only what this client or token did",
  },
  decision: {
    value: "DECISION",
    repeats: false,
    text: `only calls with this decision: ${AUDIT_DECISIONS.join(", ")}`,
  },
  since: { value: "WHEN", repeats: false, text: "only since then: 90s, 15m, 2h, 3d, or a date" },
  follow: { value: null, repeats: false, text: "keep printing rows as they are written, until Ctrl-C" },
  verify: { value: null, repeats: false, text: "check that no row was changed, moved or taken out" },
  check: { value: null, repeats: false, text: "say what differs from the lock, and write nothing" },
  approve: { value: "TOOL", repeats: false, text: "show what changed about this tool or server, and accept it" },
  yes: { value: null, repeats: false, text: "do it without asking" },
  json: { value: null, repeats: false, text: "print one JSON document and nothing else" },
  "log-level": {
    value: "LEVEL",
    repeats: false,
    text: `how much to report on stderr: one of ${LOG_LEVELS.join(", ")} (or TOOLCRIB_LOG)`,
  },
  help: { value: null, repeats: false, text: "show this text" },
  version: { value: null, repeats: false, text: "show the version" },
} as const satisfies Record<string, OptionSpec>;
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: that is how a reference is written.

interface OptionSpec {
  /** What stands for its value in help; null for a switch. */
  readonly value: string | null;
  /** Given twice it accumulates instead of being a mistake. */
  readonly repeats: boolean;
  readonly text: string;
}

export type OptionName = keyof typeof OPTIONS;

export const SCENE_OPTIONS = ["config", "world", "agent", "model", "mode", "include", "exclude"] as const;
/** Of commands that start servers. */
export const START_OPTIONS = ["fresh", "no-start", "timeout"] as const;
export const LISTEN_OPTIONS = ["port", "host", "allow-remote"] as const;
export const AUDIT_OPTIONS = ["audit", "no-audit"] as const;
export const COMMON_OPTIONS = ["json", "log-level", "help", "version"] as const;
/** Whoever writes a script may always pass these: where nobody is asked, or nothing waited for, they hold anyway. */
export const TAKEN_EVERYWHERE: readonly OptionName[] = ["yes", "timeout"];

export function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(OPTIONS, name);
}
