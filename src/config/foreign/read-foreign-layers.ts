import { join, resolve } from "node:path";
import type { Origin } from "../../core/codes/origin.ts";
import type { Notice } from "../../core/codes/reason.ts";
import { type ConfigNode, isNull, type MapNode, mapNode } from "../../core/shape/node.ts";
import { readForeign } from "../import/read-foreign.ts";
import { type FoundFiles, type Places, productFolder, showPath } from "../layers/find-files.ts";
import type { Layer } from "../layers/read-layers.ts";
import type { Readers } from "../layers/readers.ts";
import { toClaudeHooks } from "./claude-hooks.ts";
import { findBypassOff, toClaudePermissions } from "./claude-permissions.ts";
import { readCommandLayers } from "./command-files.ts";
import { toCopilotHooks } from "./copilot-hooks.ts";
import { hookLeftOut } from "./hook-node.ts";
import { withoutOwnHooks } from "./own-hook.ts";

/** What other products' settings say about calls, and their prompts. A project's settings need trust, like ours. */
export interface ForeignLayers {
  readonly layers: readonly Layer[];
  readonly notices: readonly Notice[];
  /** The origin that switches bypass mode off. */
  readonly bypassOff: Origin | null;
}

type Here = Pick<Places, "cwd" | "home" | "env">;
type Kind = "local" | "project" | "user";

/**
 * Permissions and hooks of Claude Code's settings files, and Copilot's hook files: of the project and of the user.
 * Those of every folder from the working one upwards count, because what one of them denies must not return below it.
 */
export async function readForeignLayers(
  { workspace, folders }: Pick<FoundFiles, "workspace" | "folders">,
  here: Here,
  readers: Readers,
  broughtFolders: readonly string[] = [],
): Promise<ForeignLayers> {
  const layers: Layer[] = [];
  const notices: Notice[] = [];
  let bypassOff: Origin | null = null;
  const add = (
    { kind, folder = workspace }: Pick<ForeignFile, "kind" | "folder">,
    root: ConfigNode,
    entries: readonly (readonly [string, ConfigNode | null])[],
  ): void => {
    const said = entries.flatMap(([key, node]) => (node === null ? [] : [[key, node] as const]));
    if (said.length > 0) layers.push({ kind, source: null, folder, root: mapNode(said, root.origin) });
  };
  for (const { path, file, kind, folder } of claudeFiles(folders, here)) {
    const root = await readRoot(path, file, readers, notices);
    if (root === null) continue;
    bypassOff ??= findBypassOff(root);
    add({ kind, ...(folder === undefined ? {} : { folder }) }, root, [
      ["hooks", withoutOwnHooks(toClaudeHooks(root, notices), here)],
      ["permissions", toClaudePermissions(root, kind, folder ?? workspace, notices)],
    ]);
  }
  for (const { path, file, kind } of await copilotFiles(workspace, here, readers)) {
    const root = await readRoot(path, file, readers, notices);
    if (root !== null) add({ kind }, root, [["hooks", withoutOwnHooks(toCopilotHooks(root, notices), here)]]);
  }
  const real = await readers.realPath(workspace);
  for (const folder of broughtFolders) {
    for (const one of await hookFiles(folder, "user", here, readers)) {
      // Anyone who can write to the workspace would choose what runs: trust covers only the hook's own place.
      if (isAt(await readers.realPath(one.path), real)) {
        if (!isAt(one.path, join(workspace, GITHUB_HOOKS))) notices.push(hooksInside(one.file));
        continue;
      }
      const root = await readRoot(one.path, one.file, readers, notices);
      if (root !== null) add({ kind: "user" }, root, [["hooks", withoutOwnHooks(toCopilotHooks(root, notices), here)]]);
    }
  }
  layers.push(...(await readCommandLayers(folders, here, readers, notices)));
  return { layers, notices, bypassOff };
}

interface ForeignFile {
  readonly path: string;
  /** As the user would write it. */
  readonly file: string;
  readonly kind: Kind;
  /** The project's folder that it applies to. */
  readonly folder?: string;
}

function claudeFiles(folders: readonly string[], here: Here): readonly ForeignFile[] {
  const at = (folder: string, name: string, kind: Kind): ForeignFile => {
    const path = join(folder, name);
    return { path, file: showPath(path, here), kind };
  };
  // In the home folder both are one file, and it is the user's own.
  const projects = folders.filter((folder) => resolve(folder) !== resolve(here.home));
  return [
    ...projects.flatMap((folder) => [
      { ...at(join(folder, ".claude"), "settings.local.json", "local"), folder },
      { ...at(join(folder, ".claude"), "settings.json", "project"), folder },
    ]),
    at(productFolder(".claude", here), "settings.json", "user"),
  ];
}

const GITHUB_HOOKS = ".github/hooks";

async function copilotFiles(workspace: string, here: Here, readers: Readers): Promise<readonly ForeignFile[]> {
  return [
    ...(await hookFiles(join(workspace, GITHUB_HOOKS), "project", here, readers)),
    ...(await hookFiles(join(productFolder(".copilot", here), "hooks"), "user", here, readers)),
  ];
}

async function hookFiles(folder: string, kind: Kind, here: Here, readers: Readers): Promise<readonly ForeignFile[]> {
  const names = await readers.listFolder(folder).catch(() => []);
  return names
    .filter((name) => name.endsWith(".json"))
    .map((name) => join(folder, name))
    .map((path) => ({ path, file: showPath(path, here), kind }));
}

function isAt(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

function hooksInside(file: string): Notice {
  const why = `it lies in the workspace; hooks of the workspace count from ${GITHUB_HOOKS}, once trusted`;
  return hookLeftOut(file, why, { kind: "file", file, line: null });
}

/** An unreadable file of another product only loses its own content, and that is reported. */
async function readRoot(path: string, file: string, readers: Readers, notices: Notice[]): Promise<MapNode | null> {
  const origin: Origin = { kind: "file", file, line: null };
  const leave = (why: string): null => {
    const text = `${file} cannot be read, so its hooks and permissions are left out: ${why}`;
    notices.push({ level: "warning", code: "hook.invalid", text, names: [], origin });
    return null;
  };
  try {
    const text = await readers.readText(path);
    if (text === null) return (await readers.exists(path)) === true ? leave("it is a link that leads nowhere") : null;
    const root = await readForeign(text, file);
    if (root === null || root.kind === "map") return root;
    return isNull(root) ? null : leave('it must be a map of settings, as in { "permissions": { … } }');
  } catch (error) {
    return leave(error instanceof Error ? error.message : String(error));
  }
}
