import { MODES } from "../../../core/scene/scene.ts";
import { LOG_DETAILS } from "../terminal/log.ts";

/** For `add`; a command line is always stdio. */
export const SERVER_TYPES = ["http", "sse"] as const;

/** For `--write`. */
export const MCP_CLIENTS = [
  "claude",
  "vscode",
  "cursor",
  "codex",
  "gemini",
  "copilot",
  "windsurf",
  "qwen",
  "opencode",
  "zed",
  "cline",
  "continue",
  "junie",
] as const;

/** For `run`. */
export const RUN_FORMATS = ["text", "json", "stream-json"] as const;
/** For `sessions`. */
export const SESSION_ACTIONS = ["list", "show", "export", "delete", "prune"] as const;
/** For `people`. */
export const PEOPLE_ACTIONS = ["list", "show", "invite", "end", "admit"] as const;
/** For `logins`. */
export const LOGIN_ACTIONS = ["list", "connect", "forget"] as const;
/** For `keys`. */
export const KEY_ACTIONS = ["list", "rotate"] as const;
export const AUDIT_DECISIONS = ["allow", "ask", "deny", "pass"] as const;

export const STANDINGS = ["visible", "deferred", "hidden"] as const;

interface OptionSpec {
  /** What stands for its value in help; null for a switch. */
  readonly value: string | null;
  /** Given twice it accumulates instead of being a mistake. */
  readonly repeats: boolean;
  readonly text: string;
}

const flag = (text: string): OptionSpec => ({ value: null, repeats: false, text });
const option = (value: string, text: string): OptionSpec => ({ value, repeats: false, text });
const repeated = (value: string, text: string): OptionSpec => ({ value, repeats: true, text });

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: that is how a reference is written.
/** Every option of every command; help, the reference page and the parser are made from this table. */
export const OPTIONS = {
  config: option("FILE", "read this configuration file instead of looking for one"),
  world: option("FILE", 'read this world file (see snapshot) instead of the configuration; "-" for stdin'),
  session: option("ID", "answer for this kept session; its id, or the beginning of it"),
  at: option("POINT", "with --session, up to this event (its number) or time; by default the newest"),
  agent: option("NAME", "select this agent"),
  subagent: flag("show the tools that --agent gets as a subagent"),
  model: option("ID", "use this model"),
  mode: option("MODE", `use this permission mode: one of ${MODES.join(", ")}`),
  include: repeated("LIST", "only these tools, toolsets, servers or patterns; comma separated"),
  exclude: repeated("LIST", "all tools except these, in addition to what the configuration excludes"),
  standing: option("STANDING", `show only tools that are ${STANDINGS.join(", ")}`),
  limit: option("COUNT", "how many tools to return"),
  server: option("NAME", "only tools of this server"),
  task: option("TEXT", "what the tools are for, to rank them better"),
  args: option("JSON", 'arguments of the call as JSON; "@FILE" for a file, "-" for stdin'),
  cases: option("FILE", "shell commands or tool definitions, and what to expect of them, as JSON lines"),
  catalog: repeated("FILE", "tools as JSON lines; for tokens, JSON files of servers' tools"),
  queries: option("FILE", "queries with the tools that answer them, as JSON lines"),
  "without-requests": flag("rank by the tools' own words, without the shipped requests"),
  "no-start": flag("start no server; their tools are then unknown"),
  timeout: option("SECONDS", "how long to wait for servers to start; 10 by default"),
  "no-open": flag("open no browser for a login; the address is shown anyway"),
  openapi: option("FILE", "make tools of the operations of this OpenAPI document"),
  url: option("URL", "address of a remote server; --url itself can be left out"),
  type: option("TYPE", `how to reach it: one of ${SERVER_TYPES.join(", ")}`),
  header: repeated("NAME=VALUE", "HTTP header; write ${VARIABLE} for a secret"),
  env: repeated("NAME=VALUE", "variable of its environment; write ${VARIABLE} for a secret"),
  tools: repeated("LIST", "only these of its tools; comma separated"),
  sealed: flag("print the whole answer with its status and a seal, as the line of guard install reads it"),
  project: flag("the files of this repository, which count for everybody who works in it"),
  managed: flag("the files of this machine, which count for everybody on it; for root"),
  "through-gateway": flag(
    "claude-code and codex: their hooks ask the gateway that they are connected to, and start no process",
  ),
  root: option("DIR", "with --managed, write below this folder instead of /, for an image of a machine"),
  rules: flag("take the permissions of other clients instead of their servers"),
  only: repeated("NAME", "only this server, hook, rule …; its name, or its kind and name"),
  trust: flag("trust the entry that is written, also without a terminal"),
  remove: flag("remove what was written"),
  list: flag("show what is trusted in every workspace"),
  force: flag("replace what is there"),
  "dry-run": flag("show what would be written, and write nothing"),
  port: option("PORT", "listen on this port and no other"),
  host: option("HOST", "listen on this address"),
  "allow-remote": flag("listen on an address that other machines can reach"),
  write: repeated(
    "CLIENT",
    `write toolcrib connect into the configuration of ${MCP_CLIENTS.join(", ")}; comma separated`,
  ),
  move: flag("with --write, move the servers in these files into toolcrib.yaml"),
  undo: flag("restore the files that --write changed, and start nothing"),
  detach: flag("run in the background"),
  idle: option("SECONDS", "end after this long without clients"),
  workspace: option("DIR", "the workspace, instead of the one around the current folder"),
  all: flag("for every workspace"),
  profile: option("NAME", "use the entry of gateway.clients with this name"),
  fresh: flag("start servers for this answer, even if a Toolcrib is running"),
  stdio: flag("serve one client on standard input and output"),
  inspect: flag("open the inspector in front of the app, and print its address on standard error"),
  http: flag("serve clients over HTTP"),
  audit: option("FILE", "write the log of calls to this file"),
  "no-audit": flag("write no log of calls to the disk"),
  tool: option("TOOL", "only calls of this tool; * stands for anything"),
  client: option("CLIENT", "show what this client gets, by the name it gives itself"),
  person: option("NAME", "show what this person gets through a gateway that people log in to"),
  groups: repeated("LIST", "with --person, as if they had these people groups; comma separated"),
  policy: option("FILE", "the configuration to try, which nothing uses yet"),
  decision: option("DECISION", `only calls with this decision: ${AUDIT_DECISIONS.join(", ")}`),
  since: option("WHEN", "only since then: 90s, 15m, 2h, 3d, or a date"),
  follow: flag("keep printing rows as they are written, until Ctrl-C"),
  bodies: flag("with what calls were about, where it is kept apart for auditors; a row of the log says who read it"),
  here: flag("the log of this machine, where the store has that of all machines"),
  forget: option("NAME", "delete the bodies of calls of this person; the hashes of them stay"),
  verify: flag("check that no row was changed, moved or removed"),
  format: option("FORMAT", `how to print the run: one of ${RUN_FORMATS.join(", ")}`),
  export: option("FILE", "write the session to this new file at the end: .md, .html or .jsonl"),
  attach: repeated("FILE", "a picture, a PDF document or a text for the model to see"),
  "max-turns": option("COUNT", "end after this many requests to the model"),
  "max-tokens": option("COUNT", "end after this many tokens, read and written"),
  "max-cost": option("DOLLARS", "end after this much, where the price of the model is known"),
  "max-time": option("SECONDS", "end after this long"),
  keep: flag("keep the session, so that a later run or chat can resume it"),
  resume: option("ID", "resume this session; its id, or the beginning of it"),
  continue: flag("resume the session of this workspace that was used last"),
  cron: option("LINE", "when it is due: minute, hour, day, month, weekday"),
  every: option("INTERVAL", "how often it is due: 30m, 2h, 1d"),
  check: flag("say what differs from the lock, and write nothing"),
  approve: option("TOOL", "show what changed about this tool or server, and accept it"),
  yes: flag("do it without asking"),
  json: flag("print one JSON document and nothing else"),
  "log-level": option("LEVEL", `how much to report on stderr: one of ${LOG_DETAILS.join(", ")} (or TOOLCRIB_LOG)`),
  help: flag("show this text"),
  version: flag("show the version"),
};
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: that is how a reference is written.

export type OptionName = keyof typeof OPTIONS;

/** Of commands about the configuration, and of those that take a world file too. */
export const CONFIG_OPTIONS = ["config", "agent", "model", "mode", "include", "exclude"] as const;
export const SCENE_OPTIONS = ["config", "world", "agent", "model", "mode", "include", "exclude"] as const;
/** Of commands that can ask what was true in a session. */
export const PAST_OPTIONS = ["session", "at"] as const;
/** Of commands that start servers. */
export const START_OPTIONS = ["fresh", "no-start", "timeout"] as const;
export const LISTEN_OPTIONS = ["port", "host", "allow-remote"] as const;
export const AUDIT_OPTIONS = ["audit", "no-audit"] as const;
/** Of commands that run an agent. */
export const RUN_OPTIONS = [
  ...(["keep", "resume", "continue"] as const),
  ...(["max-turns", "max-tokens", "max-cost", "max-time"] as const),
  ...(["timeout", "yes"] as const),
  ...AUDIT_OPTIONS,
] as const;
/** Of every command. */
export const COMMON_OPTIONS = ["json", "log-level", "help", "version"] as const;
/** Scripts may always pass these: where nothing is asked or waited for, they change nothing. */
export const TAKEN_EVERYWHERE: readonly OptionName[] = ["yes", "timeout"];

export function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(OPTIONS, name);
}
