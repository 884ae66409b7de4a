import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Config } from "../../../config/config.ts";
import { findProgram } from "../../../system/process/find-program.ts";
import type { Overview } from "../../http/api/api.ts";
import type { MCP_CLIENTS } from "../command-line/options.ts";

export type McpClient = (typeof MCP_CLIENTS)[number];

interface ClientFile {
  readonly title: string;
  /** From the workspace. */
  readonly path: readonly string[];
  /** The key under which it lists its servers. */
  readonly key: string;
  /** What an entry says besides the command. */
  readonly more: Readonly<Record<string, unknown>>;
  /** What names the workspace to this client's servers: they may start anywhere. */
  readonly args: readonly string[];
}

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: that is how these clients write it.
const FOLDER = ["--workspace", "${workspaceFolder}"];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: that is how these clients write it.

export const CLIENT_FILES: Readonly<Record<McpClient, ClientFile>> = {
  claude: { title: "Claude Code", path: [".mcp.json"], key: "mcpServers", more: { type: "stdio" }, args: [] },
  vscode: { title: "VS Code", path: [".vscode", "mcp.json"], key: "servers", more: { type: "stdio" }, args: FOLDER },
  cursor: { title: "Cursor", path: [".cursor", "mcp.json"], key: "mcpServers", more: {}, args: FOLDER },
};

/** What our entry is called. */
export const ENTRY = "toolcrib";
const BIN = fileURLToPath(new URL("../../../../bin/toolcrib.js", import.meta.url));

/** How a client starts `toolcrib connect`. */
export interface ConnectCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** It names no place of this machine. */
  readonly isPortable: boolean;
}

/** By its name where that is on the path or installed in the project, else by where it lies. */
export function findConnectCommand(path: string, workspace: string): ConnectCommand {
  if (findProgram(ENTRY, path) !== null) return { command: ENTRY, args: ["connect"], isPortable: true };
  if (existsSync(join(workspace, "node_modules", ".bin", ENTRY)))
    return { command: "npx", args: ["--no-install", ENTRY, "connect"], isPortable: true };
  return { command: process.execPath, args: [BIN, "connect"], isPortable: false };
}

/** How each client is told about it, for people to copy. */
export function describeClients(connect: ConnectCommand): readonly { readonly title: string; readonly how: string }[] {
  const how = (client: McpClient): string =>
    `${CLIENT_FILES[client].path.join("/")}, under "${CLIENT_FILES[client].key}": ${JSON.stringify({ [ENTRY]: toEntry(client, connect) })}`;
  return [
    { title: CLIENT_FILES.claude.title, how: claudeCommand(connect) },
    { title: CLIENT_FILES.vscode.title, how: how("vscode") },
    { title: CLIENT_FILES.cursor.title, how: how("cursor") },
  ];
}

/** The same as whole commands and files, for a page. */
export function toConnectLines({ policy }: Pick<Config, "policy">, path: string, workspace: string): ConnectWays {
  if (policy.connect.value === "deny") return null;
  const connect = findConnectCommand(path, workspace);
  const file = (client: McpClient) => ({
    client: CLIENT_FILES[client].title,
    where: CLIENT_FILES[client].path.join("/"),
    text: JSON.stringify({ [CLIENT_FILES[client].key]: { [ENTRY]: toEntry(client, connect) } }, null, 2),
  });
  const terminal = { client: CLIENT_FILES.claude.title, where: "in a terminal", text: claudeCommand(connect) };
  return [terminal, file("vscode"), file("cursor")];
}

type ConnectWays = Overview["connect"];

function claudeCommand({ command, args }: ConnectCommand): string {
  return `claude mcp add ${ENTRY} -- ${[command, ...args].join(" ")}`;
}

/** Our entry in a client's own file. */
export function toEntry(client: McpClient, { command, args }: ConnectCommand): Readonly<Record<string, unknown>> {
  const { more, args: own } = CLIENT_FILES[client];
  return { ...more, command, args: [...args, ...own] };
}
