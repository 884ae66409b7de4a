import type { Product } from "../../config/import/products.ts";
import type { AnswerShape } from "./hook-answer.ts";
import type { EVENT_SHAPES } from "./hook-event.ts";

/** A tool of a client that does what one of ours does, and where its arguments have ours. */
export interface GuardedTool {
  readonly tool: string;
  /** Our argument, and what it is called at the client: in one version or another. */
  readonly args: Readonly<Record<string, readonly string[]>>;
  /** Ours that no call lacks. */
  readonly needs?: string;
  /** This argument is free text: every address in it is one call. */
  readonly addressesIn?: string;
  /** Where the client says in which folder a command is to run, if not in its own. */
  readonly folder?: readonly string[];
}

export interface HookClient {
  /** As people write it. */
  readonly title: string;
  /** The kinds of files in which it lists its servers. */
  readonly products: readonly Product[];
  readonly event: keyof typeof EVENT_SHAPES;
  readonly answer: AnswerShape;
  /** Whether it can put a question of ours to its person. Where it cannot, what would be asked is denied. */
  readonly asks: boolean;
  /** What is typed into a program that has been started fires no hook. */
  readonly typesUnseen?: true;
  /** The folder in its events is that of the one call, which its model may choose; its hook is started in that of the session. */
  readonly namesFolderOfCall?: true;
  readonly tools: ReadonlyMap<string, GuardedTool>;
  /** How it writes a tool of a server: what stands before the server's name, and between the two names. */
  readonly served: readonly { readonly before: string; readonly between: string }[];
}

const BASH = onCommand("command");
/** Folders are named at the side by these; the command alone would be judged in the wrong one. */
const BASH_IN_FOLDER: GuardedTool = { ...BASH, folder: ["dir_path", "directory", "workdir"] };
const WEB_FETCH: GuardedTool = { tool: "web_fetch", args: { url: ["url"] }, needs: "url" };

function onCommand(field: string): GuardedTool {
  return { tool: "bash", args: { command: [field] }, needs: "command" };
}

/** A tool of ours about a file, which the client names in this argument. */
function onFile(tool: string, ...fields: readonly string[]): GuardedTool {
  return { tool, args: { path: fields }, needs: "path" };
}

/** A tool of ours that looks through a folder: without one, the folder that the client works in. */
function onFolder(tool: string, ...fields: readonly string[]): GuardedTool {
  return { tool, args: { path: fields } };
}

function onPatch(...fields: readonly string[]): GuardedTool {
  return { tool: "apply_patch", args: { input: fields }, needs: "input" };
}

function toAgent(agent: readonly string[], prompt: string): GuardedTool {
  return { tool: "task", args: { agent, prompt: [prompt] } };
}

const CLAUDE_TOOLS: ReadonlyMap<string, GuardedTool> = new Map([
  ["Bash", BASH],
  ["Write", onFile("create", "file_path")],
  ["Edit", onFile("edit", "file_path")],
  ["MultiEdit", onFile("edit", "file_path")],
  ["NotebookEdit", onFile("edit", "notebook_path")],
  ["Read", onFile("view", "file_path")],
  ["NotebookRead", onFile("view", "notebook_path")],
  ["LS", onFolder("view", "path")],
  ["Grep", onFolder("grep", "path")],
  ["Glob", onFolder("glob", "path")],
  ["WebFetch", WEB_FETCH],
  ["Agent", toAgent(["subagent_type"], "prompt")],
  ["Task", toAgent(["subagent_type"], "prompt")],
]);

const GEMINI_TOOLS: ReadonlyMap<string, GuardedTool> = new Map([
  ["run_shell_command", BASH_IN_FOLDER],
  ["write_file", onFile("create", "file_path")],
  ["replace", onFile("edit", "file_path")],
  ["edit", onFile("edit", "file_path")],
  ["read_file", onFile("view", "file_path")],
  ["list_directory", onFolder("view", "dir_path", "path")],
  ["grep_search", onFolder("grep", "dir_path", "path")],
  ["glob", onFolder("glob", "dir_path", "path")],
  ["web_fetch", { tool: "web_fetch", args: { url: ["url"] }, addressesIn: "prompt" }],
  ["invoke_agent", toAgent(["agent_name"], "prompt")],
  ["agent", toAgent(["subagent_type"], "prompt")],
  // Of Qwen Code: it runs a command and reports its output line by line.
  ["monitor", BASH_IN_FOLDER],
]);

const COPILOT_TOOLS: ReadonlyMap<string, GuardedTool> = new Map([
  ...CLAUDE_TOOLS,
  ["bash", BASH],
  ["create", onFile("create", "path")],
  ["edit", onFile("edit", "path")],
  ["view", onFile("view", "path")],
  ["grep", onFolder("grep", "paths", "path")],
  ["glob", onFolder("glob", "paths", "path")],
  ["web_fetch", WEB_FETCH],
  ["task", toAgent(["agent_type", "subagent_type"], "prompt")],
  // What models of OpenAI get in place of create, edit and grep.
  ["apply_patch", onPatch("input")],
  ["rg", onFolder("grep", "paths", "path")],
]);

const MCP = { before: "mcp__", between: "__" };

/** One row for each client that asks before it runs a tool. */
export const HOOK_CLIENTS = {
  "claude-code": {
    products: ["claude-code", "claude-home"],
    ...{ title: "Claude Code", event: "claude", answer: "claude", asks: true },
    ...{ tools: CLAUDE_TOOLS, served: [MCP] },
  },
  codex: {
    products: ["codex"],
    ...{ title: "Codex", event: "claude", answer: "claude-denies", asks: false, typesUnseen: true },
    namesFolderOfCall: true,
    tools: new Map([
      ["Bash", BASH],
      ["apply_patch", onPatch("input", "patch", "command")],
      ["view_image", onFile("view_image", "path")],
      ["spawn_agent", toAgent([], "message")],
    ]),
    served: [MCP],
  },
  "gemini-cli": {
    products: ["gemini"],
    ...{ title: "Gemini CLI", event: "claude", answer: "gemini", asks: false },
    ...{ tools: GEMINI_TOOLS, served: [{ before: "mcp_", between: "_" }] },
  },
  "copilot-cli": {
    products: ["copilot"],
    ...{ title: "Copilot CLI", event: "copilot", answer: "copilot", asks: true },
    ...{ tools: COPILOT_TOOLS, served: [MCP, { before: "", between: "-" }, { before: "", between: "/" }] },
  },
  "qwen-code": {
    products: ["qwen"],
    ...{ title: "Qwen Code", event: "claude", answer: "claude-denies", asks: false },
    ...{ tools: GEMINI_TOOLS, served: [MCP] },
  },
  opencode: {
    products: ["opencode"],
    ...{ title: "opencode", event: "opencode", answer: "plain", asks: false },
    tools: new Map([
      ["bash", BASH_IN_FOLDER],
      ["write", onFile("create", "filePath")],
      ["edit", onFile("edit", "filePath")],
      ["read", onFile("view", "filePath")],
      ["list", onFolder("view", "path")],
      ["grep", onFolder("grep", "path")],
      ["glob", onFolder("glob", "path")],
      ["webfetch", WEB_FETCH],
      ["patch", onPatch("patchText")],
      ["apply_patch", onPatch("patchText")],
      ["task", toAgent(["subagent_type"], "prompt")],
    ]),
    served: [{ before: "", between: "_" }],
  },
  cursor: {
    products: ["cursor"],
    ...{ title: "Cursor", event: "cursor", answer: "cursor", asks: true },
    tools: new Map([...CLAUDE_TOOLS, ["Shell", BASH], ["Delete", onFile("edit", "file_path")]]),
    served: [MCP],
  },
  windsurf: {
    products: ["windsurf"],
    ...{ title: "Windsurf", event: "windsurf", answer: "status", asks: false },
    tools: new Map([
      ["run_command", onCommand("command_line")],
      ["write_code", onFile("edit", "file_path")],
      ["read_code", onFile("view", "file_path")],
    ]),
    served: [],
  },
  cline: {
    products: ["cline"],
    ...{ title: "Cline", event: "cline", answer: "cline", asks: false },
    tools: new Map([
      ["execute_command", BASH],
      ["write_to_file", onFile("create", "path")],
      ["replace_in_file", onFile("edit", "path")],
      ["read_file", onFile("view", "path")],
      ["list_files", onFolder("view", "path")],
      ["search_files", onFolder("grep", "path")],
      ["web_fetch", WEB_FETCH],
    ]),
    served: [],
  },
} as const satisfies Readonly<Record<string, HookClient>>;

export type HookClientName = keyof typeof HOOK_CLIENTS;

/** The client that gives itself this name: clients add a version or their kind to it, as in `codex-mcp-client`. */
export function findHookClient(name: string): HookClientName | null {
  const folded = name.toLowerCase();
  const names = Object.keys(HOOK_CLIENTS) as HookClientName[]; // Keys of the table.
  return names.find((one) => folded === one || folded.startsWith(`${one}-`)) ?? null;
}
