import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../../config/config.ts";
import { type ForeignFile, type ForeignPlaces, foreignFiles } from "../../../config/import/find-foreign.ts";
import { PRODUCTS, type Product } from "../../../config/import/products.ts";
import { findProgram } from "../../../system/process/find-program.ts";
import type { Overview } from "../../http/api/api.ts";
import type { MCP_CLIENTS } from "../command-line/options.ts";
import { BIN } from "../running/own-program.ts";

export type McpClient = (typeof MCP_CLIENTS)[number];

/** The kind of file that each client's entry goes into, and that of its other file in the home folder. */
const KINDS: Readonly<Record<McpClient, { readonly written: Product; readonly home: Product }>> = {
  claude: { written: "claude-code", home: "claude-home" },
  vscode: { written: "vscode", home: "vscode-home" },
  cursor: { written: "cursor", home: "cursor" },
  codex: { written: "codex", home: "codex" },
  gemini: { written: "gemini", home: "gemini" },
  copilot: { written: "copilot", home: "copilot" },
  windsurf: { written: "windsurf", home: "windsurf" },
  qwen: { written: "qwen", home: "qwen" },
  opencode: { written: "opencode", home: "opencode" },
  zed: { written: "zed", home: "zed" },
  cline: { written: "cline", home: "cline" },
  continue: { written: "continue", home: "continue-lists" },
  junie: { written: "junie", home: "junie" },
};

interface ClientFile {
  readonly title: string;
  readonly side: ForeignFile["side"];
  readonly path: string;
  /** As the user would write it. */
  readonly file: string;
  /** The key under which it lists its servers. */
  readonly key: string;
  /** Its file in the home folder, as the user would write it; the same if it has no other. */
  readonly home: string;
}

/** Where a client's entry goes: into the project's file, or the person's own where nothing of a project counts. */
export function clientFile(client: McpClient, places: ForeignPlaces): ClientFile {
  const { written, home } = KINDS[client];
  const { title, own, servers } = PRODUCTS[written];
  const files = foreignFiles(places);
  const find = (product: Product, side = own?.side) =>
    files.find((file) => file.product === product && file.side === side);
  const { path, file } = find(written) ?? { path: "", file: "" };
  return {
    title,
    side: own?.side ?? "project",
    path,
    file,
    key: servers[0]?.[0] ?? "",
    home: find(home, "user")?.file ?? "",
  };
}

/** What our entry is called. */
export const ENTRY = "toolcrib";

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
  const how = (client: McpClient) => {
    const { title, file, key } = fileInWorkspace(client);
    return { title, how: `${file}, under "${key}": ${JSON.stringify({ [ENTRY]: toEntry(client, connect) })}` };
  };
  return [{ title: fileInWorkspace("claude").title, how: claudeCommand(connect) }, how("vscode"), how("cursor")];
}

function fileInWorkspace(client: McpClient): ClientFile {
  return clientFile(client, { cwd: "/", home: "/", env: {}, platform: process.platform });
}

/** The same as whole commands and files, for a page. */
export function toConnectLines({ policy }: Pick<Config, "policy">, path: string, workspace: string): ConnectWays {
  if (policy.connect.value === "deny") return null;
  const connect = findConnectCommand(path, workspace);
  const file = (client: McpClient) => {
    const { title, file: where, key } = fileInWorkspace(client);
    return { client: title, where, text: JSON.stringify({ [key]: { [ENTRY]: toEntry(client, connect) } }, null, 2) };
  };
  const terminal = { client: fileInWorkspace("claude").title, where: "in a terminal", text: claudeCommand(connect) };
  return [terminal, file("vscode"), file("cursor")];
}

type ConnectWays = Overview["connect"];

function claudeCommand({ command, args }: ConnectCommand): string {
  return `claude mcp add ${ENTRY} -- ${[command, ...args].join(" ")}`;
}

/** Our entry in a client's own file. */
export function toEntry(client: McpClient, { command, args }: ConnectCommand): Readonly<Record<string, unknown>> {
  const { more = {}, args: own = [], isList = false } = PRODUCTS[KINDS[client].written].own ?? {};
  const words = [...args, ...own];
  return { ...more, ...(isList ? { command: [command, ...words] } : { command, args: words }) };
}
