import { join } from "node:path";
import { productFolder, showPath } from "../layers/find-files.ts";
import type { Readers } from "../layers/readers.ts";
import type { Product } from "./products.ts";

export interface ForeignFile {
  readonly product: Product;
  readonly path: string;
  /** A project's files may come from anybody; a person's own are theirs. */
  readonly side: "project" | "user";
  /** As the user would write it. */
  readonly file: string;
}

export interface ForeignPlaces {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

/** Each file of a product, below the folder of that name. The earlier of two servers with one name counts. */
const FILES = [
  ["project", "claude-code", "workspace", ".mcp.json"],
  ["project", "vscode", "workspace", ".vscode/mcp.json"],
  ["project", "cursor", "workspace", ".cursor/mcp.json"],
  ["project", "codex", "workspace", ".codex/config.toml"],
  ["project", "gemini", "workspace", ".gemini/settings.json"],
  ["project", "deerflow-config", "workspace", "config.yaml"],
  ["project", "deerflow-extensions", "workspace", "extensions_config.json"],
  ["user", "claude-home", "claude", ".claude.json"],
  ["user", "copilot", "copilot", "mcp-config.json"],
  ["user", "cursor", "home", ".cursor/mcp.json"],
  ["user", "claude-desktop", "claudeApp", "claude_desktop_config.json"],
  ["user", "vscode", "codeApp", "User/mcp.json"],
  ["user", "codex", "codex", "config.toml"],
  ["user", "windsurf", "home", ".codeium/windsurf/mcp_config.json"],
  ["user", "gemini", "home", ".gemini/settings.json"],
] as const;

/** Where other products store what can be imported, the project's own first. */
export function foreignFiles(places: ForeignPlaces): readonly ForeignFile[] {
  const { cwd, home, env } = places;
  const folders = {
    workspace: cwd,
    home,
    // Only if it is moved does Claude's file lie in its folder.
    claude: env.CLAUDE_CONFIG_DIR?.startsWith("/") ? productFolder(".claude", places) : home,
    copilot: productFolder(".copilot", places),
    claudeApp: appFolder("Claude", places),
    codeApp: appFolder("Code", places),
    codex: productFolder(".codex", places),
  };
  return FILES.map(([side, product, folder, name]) => {
    const path = join(folders[folder], name);
    return { product, path, side, file: showPath(path, places) };
  });
}

const TOOL_SETS = /\.toolsets\.jsonc$/;

/** Tool set files that a person has made in VS Code. */
export async function findToolSets(places: ForeignPlaces, readers: Readers): Promise<readonly ForeignFile[]> {
  const folder = join(appFolder("Code", places), "User", "prompts");
  const names = await readers.listFolder(folder).catch(() => []);
  return names
    .filter((name) => TOOL_SETS.test(name))
    .map((name) => join(folder, name))
    .map((path) => ({ product: "vscode-tool-sets", side: "user", path, file: showPath(path, places) }));
}

function appFolder(app: string, { home, env, platform }: ForeignPlaces): string {
  if (platform === "darwin") return join(home, "Library", "Application Support", app);
  if (platform === "win32") return join(env.APPDATA || join(home, "AppData", "Roaming"), app);
  return join(env.XDG_CONFIG_HOME || join(home, ".config"), app);
}
