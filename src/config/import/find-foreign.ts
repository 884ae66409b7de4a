import { join } from "node:path";
import { claudeFolder, showPath } from "../layers/find-files.ts";
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

/** Where other products store what can be imported, the project's own first: the earlier of two with one name counts. */
export function foreignFiles(places: ForeignPlaces): readonly ForeignFile[] {
  const { cwd, home, env } = places;
  const at = (side: ForeignFile["side"], product: Product, path: string): ForeignFile => ({
    ...{ product, path, side },
    file: showPath(path, places),
  });
  return [
    at("project", "claude-code", join(cwd, ".mcp.json")),
    at("project", "vscode", join(cwd, ".vscode", "mcp.json")),
    at("project", "cursor", join(cwd, ".cursor", "mcp.json")),
    at("project", "codex", join(cwd, ".codex", "config.toml")),
    at("project", "gemini", join(cwd, ".gemini", "settings.json")),
    at("project", "deerflow-config", join(cwd, "config.yaml")),
    at("project", "deerflow-extensions", join(cwd, "extensions_config.json")),
    at(
      "user",
      "claude-home",
      join(env.CLAUDE_CONFIG_DIR?.startsWith("/") ? claudeFolder(places) : home, ".claude.json"),
    ),
    at("user", "copilot", join(env.COPILOT_HOME || join(home, ".copilot"), "mcp-config.json")),
    at("user", "cursor", join(home, ".cursor", "mcp.json")),
    at("user", "claude-desktop", join(appFolder("Claude", places), "claude_desktop_config.json")),
    at("user", "vscode", join(appFolder("Code", places), "User", "mcp.json")),
    at("user", "codex", join(env.CODEX_HOME || join(home, ".codex"), "config.toml")),
    at("user", "windsurf", join(home, ".codeium", "windsurf", "mcp_config.json")),
    at("user", "gemini", join(home, ".gemini", "settings.json")),
  ];
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
