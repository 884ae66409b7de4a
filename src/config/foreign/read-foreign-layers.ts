import { join, resolve } from "node:path";
import type { Origin } from "../../core/codes/origin.ts";
import type { Notice } from "../../core/codes/reason.ts";
import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import { type ConfigNode, type MapNode, mapNode } from "../config-node.ts";
import type { Places } from "../find-files.ts";
import { parseDocument } from "../parse-document.ts";
import type { Layer } from "../read-layers.ts";
import type { Readers } from "../readers.ts";
import { toClaudeHooks } from "./claude-hooks.ts";
import { findBypassOff, toClaudePermissions } from "./claude-permissions.ts";
import { toCopilotHooks } from "./copilot-hooks.ts";

/** What other products' settings say about calls. A project's own need trust as ours do. */
export interface ForeignLayers {
  readonly layers: readonly Layer[];
  readonly notices: readonly Notice[];
  /** Where bypass mode is switched off. */
  readonly bypassOff: Origin | null;
}

type Home = Pick<Places, "home" | "env">;
type Kind = "local" | "project" | "user";

/** Permissions and hooks of Claude Code's settings files, and Copilot's hook files: of the project and of the user. */
export async function readForeignLayers(
  workspace: string,
  { home, env }: Home,
  readers: Readers,
): Promise<ForeignLayers> {
  const layers: Layer[] = [];
  const notices: Notice[] = [];
  let bypassOff: Origin | null = null;
  const add = (kind: Kind, root: ConfigNode, entries: readonly (readonly [string, ConfigNode | null])[]): void => {
    const said = entries.flatMap(([key, node]) => (node === null ? [] : [[key, node] as const]));
    if (said.length > 0) layers.push({ kind, source: null, root: mapNode(said, root.origin) });
  };
  for (const { path, file, kind } of claudeFiles(workspace, home)) {
    const root = await readRoot(path, file, readers, notices);
    if (root === null) continue;
    bypassOff ??= findBypassOff(root);
    add(kind, root, [
      ["hooks", toClaudeHooks(root, notices)],
      ["permissions", toClaudePermissions(root, kind, workspace, notices)],
    ]);
  }
  for (const { path, file, kind } of await copilotFiles(workspace, { home, env }, readers)) {
    const root = await readRoot(path, file, readers, notices);
    if (root !== null) add(kind, root, [["hooks", toCopilotHooks(root, notices)]]);
  }
  return { layers, notices, bypassOff };
}

interface ForeignFile {
  readonly path: string;
  /** As the user would write it. */
  readonly file: string;
  readonly kind: Kind;
}

function claudeFiles(workspace: string, home: string): readonly ForeignFile[] {
  const user: ForeignFile = {
    path: join(home, ".claude/settings.json"),
    file: join(home, ".claude/settings.json"),
    kind: "user",
  };
  // Whoever works in their home folder has one file for both, and it is their own.
  if (resolve(workspace) === resolve(home)) return [user];
  const own = (name: string, kind: Kind): ForeignFile => ({
    path: join(workspace, ".claude", name),
    file: `.claude/${name}`,
    kind,
  });
  return [own("settings.local.json", "local"), own("settings.json", "project"), user];
}

async function copilotFiles(workspace: string, { home, env }: Home, readers: Readers): Promise<readonly ForeignFile[]> {
  const list = async (folder: string, shown: string, kind: Kind): Promise<readonly ForeignFile[]> => {
    const names = await readers.listFolder(folder).catch(() => []);
    return names
      .filter((name) => name.endsWith(".json"))
      .map((name) => ({ path: join(folder, name), file: join(shown, name), kind }));
  };
  const base = env.COPILOT_HOME;
  const user = join(base?.startsWith("/") ? base : join(home, ".copilot"), "hooks");
  return [
    ...(await list(join(workspace, ".github/hooks"), ".github/hooks", "project")),
    ...(await list(user, user, "user")),
  ];
}

/** A file of another product that cannot be read costs what it says and nothing else, and that is told. */
async function readRoot(path: string, file: string, readers: Readers, notices: Notice[]): Promise<MapNode | null> {
  const origin: Origin = { kind: "file", file, line: null };
  try {
    const text = await readers.readText(path);
    const root = text === null ? null : await parseDocument(text, file);
    return root?.kind === "map" ? root : null;
  } catch (error) {
    const why = isToolcribError(error) || error instanceof Error ? error.message : String(error);
    const text = `${file} cannot be read, so its hooks and permissions are left out: ${why}`;
    notices.push({ level: "warning", code: "hook.invalid", text, names: [], origin });
    return null;
  }
}
