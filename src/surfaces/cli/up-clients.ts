import { join } from "node:path";
import { readJson, withEntry } from "../../config/edit/edit-json.ts";
import { writeWhole } from "../../config/edit/write-file.ts";
import { shownPath } from "../../config/layers/find-files.ts";
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

/**
 * Puts the endpoint into clients' files of this workspace; everything else in them stays as it is. All of them are read
 * first, so that one that cannot be changed leaves the others as they are.
 */
export async function writeClients(
  clients: readonly McpClient[],
  endpoint: Endpoint,
  workspace: string,
): Promise<readonly WrittenClient[]> {
  const plans: Plan[] = [];
  for (const client of new Set(clients)) plans.push(await planClient(client, endpoint, workspace));
  // They hold the token, which is nobody else's.
  for (const { path, after } of plans) if (after !== null) await writeWhole(path, after, 0o600);
  return plans.map(({ client, file, after }) => ({ client, file, changed: after !== null }));
}

interface Plan {
  readonly client: McpClient;
  readonly path: string;
  readonly file: string;
  /** Null: it has the endpoint already. */
  readonly after: string | null;
}

async function planClient(client: McpClient, endpoint: Endpoint, workspace: string): Promise<Plan> {
  const { path: parts, key } = FILES[client];
  const path = join(workspace, ...parts);
  const file = shownPath(path, { cwd: workspace });
  const text = (await readText(path)) ?? "";
  const entry = toEntry(client, endpoint);
  const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
  const bare = text.slice(mark.length);
  const after = await withEntry(bare.trim() === "" ? "{}\n" : bare, key, NAME, entry);
  if (after === null) throw refused(file, key, { [NAME]: entry });
  const known = serversIn(bare, key);
  if (JSON.stringify(known?.[NAME]) === JSON.stringify(entry)) return { client, path, file, after: null };
  return { client, path, file, after: mark + after };
}

function serversIn(text: string, key: string): Readonly<Record<string, unknown>> | null {
  const servers = readJson(text)?.[key];
  return typeof servers === "object" && servers !== null ? { ...servers } : null;
}

function refused(file: string, key: string, entry: object): ToolcribError {
  const text = `${file} cannot be changed without losing something, because it is no JSON with a map "${key}"; add this yourself: ${JSON.stringify(entry)}`;
  return new ToolcribError("config.syntax", text, { names: [file] });
}
