import type { MapNode } from "../../core/shape/node.ts";
import { fromCline, fromContinue, fromOpencode, fromZed } from "./usual-servers.ts";

/** Where a file lies: a project's may come from anybody, a person's own are theirs. */
export type FilePlace = readonly [side: "project" | "user", folder: Folder, name: string];
export type Folder =
  | "workspace"
  | "home"
  | "claude"
  | "claudeSettings"
  | "copilot"
  | "codex"
  | "claudeApp"
  | "codeApp"
  | "config"
  | "zed";

/** How `toolcrib connect` is written into a client's file, beside its command. */
interface OwnEntry {
  /** Which of its files. */
  readonly side: FilePlace[0];
  readonly more?: Readonly<Record<string, unknown>>;
  /** What names the workspace to this client's servers, which may start anywhere. */
  readonly args?: readonly string[];
  /** The command is the first item of one list with its arguments. */
  readonly isList?: boolean;
}

/** How a product writes what can be imported: one row for each kind of file. Of two servers with one name the earlier row's counts. */
export interface ProductRow {
  /** As people know it. */
  readonly title: string;
  readonly files: readonly FilePlace[];
  /** Keys down to its servers; of two places the first counts. `CWD` stands for the working folder. */
  readonly servers: readonly (readonly string[])[];
  /** They are a list, and each says its name. */
  readonly isList?: boolean;
  /** Its file contains nothing but servers. */
  readonly isForServers?: boolean;
  /** `${NAME}` refers to a variable, except with `none`; `$NAME` too with `anywhere`, and with `whole` if it is all there is; only `{env:NAME}` with `env`, and `${{ secrets.NAME }}` with `secrets`. */
  readonly references: "braces" | "none" | "anywhere" | "whole" | "env" | "secrets";
  /** The keys of a remote server's address, and the transport of each unless a type is given. */
  readonly addresses: readonly (readonly [key: string, type: "http" | "sse"])[];
  /** Addresses of the older transport. */
  readonly oldAddress?: RegExp;
  /** A server with an address and a command is reached by its address. */
  readonly prefersAddress?: boolean;
  readonly headers: string;
  /** It has a list of servers that it does not start, and one of the only ones that it starts. */
  readonly startLists?: boolean;
  /** Where a server's keys are not the usual ones. */
  readonly toUsual?: (server: MapNode) => MapNode;
  /** Headers and variables can be given as names of variables. */
  readonly namesVariables?: boolean;
  /** Null where `up --write` writes nothing. */
  readonly own: OwnEntry | null;
}

export const CWD = "\0cwd";

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: that is how these clients write it.
const FOLDER = ["--workspace", "${workspaceFolder}"];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: that is how these clients write it.
const STDIO = { type: "stdio" };

const USUAL = {
  servers: [["mcpServers"]],
  references: "braces",
  addresses: [
    ["url", "http"],
    ["serverUrl", "http"],
    ["httpUrl", "http"],
  ],
  headers: "headers",
  own: null,
} as const satisfies Partial<ProductRow>;

const VSCODE = { ...USUAL, title: "VS Code", isForServers: true, servers: [["servers"], ["mcpServers"]] } as const;

const GEMINI = {
  ...USUAL,
  references: "anywhere",
  prefersAddress: true,
  startLists: true,
  addresses: [
    ["httpUrl", "http"],
    ["url", "sse"],
  ],
  own: { side: "project" },
} as const;

const ROWS = {
  "claude-code": {
    ...USUAL,
    title: "Claude Code",
    files: [["project", "workspace", ".mcp.json"]],
    isForServers: true,
    own: { side: "project", more: STDIO },
  },
  vscode: {
    ...VSCODE,
    files: [["project", "workspace", ".vscode/mcp.json"]],
    own: { side: "project", more: STDIO, args: FOLDER },
  },
  "claude-home": {
    ...USUAL,
    title: "Claude Code",
    files: [["user", "claude", ".claude.json"]],
    servers: [["projects", CWD, "mcpServers"], ["mcpServers"]],
  },
  copilot: {
    ...USUAL,
    title: "Copilot CLI",
    files: [["user", "copilot", "mcp-config.json"]],
    isForServers: true,
    references: "whole",
    own: { side: "user", more: { type: "local", tools: ["*"] } },
  },
  cursor: {
    ...USUAL,
    title: "Cursor",
    files: [
      ["project", "workspace", ".cursor/mcp.json"],
      ["user", "home", ".cursor/mcp.json"],
    ],
    isForServers: true,
    own: { side: "project", args: FOLDER },
  },
  "claude-desktop": {
    ...USUAL,
    title: "Claude Desktop",
    files: [["user", "claudeApp", "claude_desktop_config.json"]],
    references: "none",
  },
  "vscode-home": { ...VSCODE, files: [["user", "codeApp", "User/mcp.json"]] },
  codex: {
    ...USUAL,
    title: "Codex",
    files: [
      ["project", "workspace", ".codex/config.toml"],
      ["user", "codex", "config.toml"],
    ],
    servers: [["mcp_servers"]],
    references: "none",
    headers: "http_headers",
    namesVariables: true,
    own: { side: "user" },
  },
  windsurf: {
    ...USUAL,
    title: "Windsurf",
    files: [["user", "home", ".codeium/windsurf/mcp_config.json"]],
    isForServers: true,
    oldAddress: /\/sse\/?$/,
    own: { side: "user" },
  },
  gemini: {
    ...GEMINI,
    title: "Gemini CLI",
    files: [
      ["project", "workspace", ".gemini/settings.json"],
      ["user", "home", ".gemini/settings.json"],
    ],
  },
  qwen: {
    ...GEMINI,
    title: "Qwen Code",
    files: [
      ["project", "workspace", ".qwen/settings.json"],
      ["user", "home", ".qwen/settings.json"],
    ],
  },
  opencode: {
    ...USUAL,
    title: "opencode",
    files: [
      ["project", "workspace", "opencode.json"],
      ["user", "config", "opencode/opencode.json"],
    ],
    servers: [["mcp"]],
    references: "env",
    toUsual: fromOpencode,
    own: { side: "project", more: { type: "local", enabled: true }, isList: true },
  },
  zed: {
    ...USUAL,
    title: "Zed",
    files: [["user", "zed", "settings.json"]],
    servers: [["context_servers"]],
    references: "none",
    toUsual: fromZed,
    own: { side: "user", more: { env: {} } },
  },
  cline: {
    ...USUAL,
    title: "Cline",
    files: [["user", "codeApp", "User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"]],
    isForServers: true,
    toUsual: fromCline,
    own: { side: "user" },
  },
  continue: {
    ...USUAL,
    title: "Continue",
    files: [
      ["project", "workspace", ".continue/mcpServers/mcp.json"],
      ["user", "home", ".continue/mcpServers/mcp.json"],
    ],
    isForServers: true,
    own: { side: "project" },
  },
  "continue-lists": {
    ...USUAL,
    title: "Continue",
    files: [
      ["user", "home", ".continue/config.yaml"],
      ["project", "workspace", ".continue/mcpServers/*.yaml"],
      ["user", "home", ".continue/mcpServers/*.yaml"],
    ],
    isList: true,
    references: "secrets",
    toUsual: fromContinue,
  },
  junie: {
    ...USUAL,
    title: "Junie",
    files: [
      ["project", "workspace", ".junie/mcp/mcp.json"],
      ["user", "home", ".junie/mcp/mcp.json"],
    ],
    isForServers: true,
    own: { side: "project" },
  },
  "deerflow-config": {
    ...USUAL,
    title: "DeerFlow",
    files: [["project", "workspace", "config.yaml"]],
    references: "whole",
    servers: [],
  },
  "deerflow-extensions": {
    ...USUAL,
    title: "DeerFlow",
    files: [["project", "workspace", "extensions_config.json"]],
    references: "whole",
  },
  // A person may have made any number of them.
  "vscode-tool-sets": {
    ...VSCODE,
    files: [["user", "codeApp", "User/prompts/*.toolsets.jsonc"]],
    isForServers: false,
    servers: [],
  },
} as const satisfies Record<string, ProductRow>;

/** The product of a file. */
export type Product = keyof typeof ROWS;
export const PRODUCTS: Readonly<Record<Product, ProductRow>> = ROWS;
