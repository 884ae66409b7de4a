import { join } from "node:path";
import { writeWhole } from "../../config/edit/write-file.ts";
import { shownPath } from "../../config/find-files.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { readText } from "./edit-target.ts";
import type { MCP_CLIENTS } from "./options.ts";

export type McpClient = (typeof MCP_CLIENTS)[number];

export interface Endpoint {
  /** `http://127.0.0.1:8787/mcp`. */
  readonly url: string;
  readonly token: string;
}

interface ClientFile {
  readonly title: string;
  /** From the workspace. */
  readonly path: readonly string[];
  /** The key under which it lists its servers. */
  readonly key: string;
  /** Whether an entry says how the server is reached. */
  readonly hasType: boolean;
}

const FILES: Readonly<Record<McpClient, ClientFile>> = {
  claude: { title: "Claude Code", path: [".mcp.json"], key: "mcpServers", hasType: true },
  vscode: { title: "VS Code", path: [".vscode", "mcp.json"], key: "servers", hasType: true },
  cursor: { title: "Cursor", path: [".cursor", "mcp.json"], key: "mcpServers", hasType: false },
};

const NAME = "toolcrib";

/** How each client is told about the endpoint, for people to copy. */
export function describeClients({ url, token }: Endpoint): readonly { readonly title: string; readonly how: string }[] {
  const entry = (client: McpClient): string => JSON.stringify({ [NAME]: toEntry(client, { url, token }) });
  return [
    {
      title: FILES.claude.title,
      how: `claude mcp add --transport http ${NAME} ${url} --header "Authorization: Bearer ${token}"`,
    },
    { title: FILES.vscode.title, how: `.vscode/mcp.json, under "servers": ${entry("vscode")}` },
    { title: FILES.cursor.title, how: `.cursor/mcp.json, under "mcpServers": ${entry("cursor")}` },
  ];
}

function toEntry(client: McpClient, { url, token }: Endpoint): Readonly<Record<string, unknown>> {
  return {
    ...(FILES[client].hasType ? { type: "http" } : {}),
    url,
    headers: { Authorization: `Bearer ${token}` },
  };
}

export interface WrittenClient {
  readonly client: McpClient;
  /** As the user would write it. */
  readonly file: string;
  readonly changed: boolean;
}

/** Puts the endpoint into a client's file of this workspace; everything else in it stays as it is. */
export async function writeClient(client: McpClient, endpoint: Endpoint, workspace: string): Promise<WrittenClient> {
  const { path: parts, key } = FILES[client];
  const path = join(workspace, ...parts);
  const file = shownPath(path, { cwd: workspace });
  const text = await readText(path);
  const entry = toEntry(client, endpoint);
  const before = text === null || text.trim() === "" ? {} : parse(text, file, { [NAME]: entry });
  const servers = Object.hasOwn(before, key) ? before[key] : {};
  if (!isRecord(servers)) throw new ToolcribError("config.invalid", `${file}: "${key}" is no map of servers`);
  if (JSON.stringify(servers[NAME]) === JSON.stringify(entry)) return { client, file, changed: false };
  const after = { ...before, [key]: { ...servers, [NAME]: entry } };
  // It holds the token, which is nobody else's.
  await writeWhole(path, `${JSON.stringify(after, null, indentOf(text ?? ""))}\n`, 0o600);
  return { client, file, changed: true };
}

function parse(text: string, file: string, entry: object): Readonly<Record<string, unknown>> {
  const clean = text.startsWith("\ufeff") ? text.slice(1) : text;
  try {
    const value: unknown = JSON.parse(clean);
    if (isRecord(value)) return value;
  } catch {
    // Told below: comments would be lost, and what is broken is not ours to mend.
  }
  throw new ToolcribError(
    "config.syntax",
    `${file} is no plain JSON, and writing it would lose what is in it; add this yourself: ${JSON.stringify(entry)}`,
    { names: [file] },
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function indentOf(text: string): string {
  return /^\{\s*?\n([ \t]+)"/.exec(text)?.[1] ?? "  ";
}
