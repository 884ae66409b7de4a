import type { Config } from "../../../config/config.ts";
import { type Imported, importForeign } from "../../../config/import/import-foreign.ts";
import type { ImportedServer } from "../../../config/import/import-servers.ts";
import { toStandIn } from "../../../config/import/to-stand-in.ts";
import { fileReaders } from "../../../config/layers/readers.ts";
import { type ConfigInput, loadConfig } from "../../../config/load-config.ts";
import type { Notice } from "../../../core/codes/reason.ts";
import { expandVariables } from "../../../core/shape/expand-variables.ts";
import { noticeBrokenFiles } from "./foreign-servers.ts";

/** A configuration made of the servers that Claude, Cline, Codex, Continue, Copilot, Cursor, Gemini CLI, Junie, opencode, Qwen Code, VS Code, Windsurf and Zed have in the home folder. */
interface HomeConfig {
  /** Null where they have none. */
  readonly config: Config | null;
  /** Whose servers they are, as the user would write it. */
  readonly files: readonly string[];
  /** About files that cannot be read. */
  readonly notices: readonly Notice[];
}

export async function loadHome(given: ConfigInput): Promise<HomeConfig> {
  const places = { cwd: given.cwd, home: given.home, env: given.env, platform: process.platform };
  const user = await importForeign(places, given.readers ?? fileReaders, "user");
  const { servers, secrets } = user;
  const notices = noticeBrokenFiles(user);
  if (servers.length === 0) return { config: null, files: [], notices };
  // What stands behind a made-up variable may refer to others; where one of those is not set, neither is this.
  const known = [...secrets].flatMap(([name, text]) => {
    const expanded = expandVariables(text, given.env);
    return expanded.unset.length === 0 ? [[name, expanded.text] as const] : [];
  });
  const env = { ...given.env, ...Object.fromEntries(known) };
  const config = await loadConfig({ ...given, env, standIn: toStandIn(servers) });
  return { config, files: filesOfServers(user, servers), notices };
}

/** The files that these servers stand in. */
export function filesOfServers({ files }: Imported, servers: readonly ImportedServer[]): readonly string[] {
  const used = new Set(servers.map(({ origin }) => (origin.kind === "file" ? origin.file : "")));
  return files.filter((file) => used.has(file));
}
