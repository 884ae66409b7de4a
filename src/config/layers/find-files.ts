import { basename, dirname, extname, join, relative, resolve, sep } from "node:path";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { Readers } from "./readers.ts";

/** The sides that files belong to, highest first. */
export const LAYER_KINDS = ["policy", "flags", "local", "project", "user"] as const;
export type LayerKind = (typeof LAYER_KINDS)[number];

export interface FoundFile {
  readonly layer: Exclude<LayerKind, "flags">;
  readonly path: string;
  /** As the user would write it. */
  readonly file: string;
  /** Named on the command line: the person has looked at it, so it needs no further trust. */
  readonly named: boolean;
}

export interface FoundFiles {
  /** The folder that project files belong to, and that is trusted or not. */
  readonly workspace: string;
  /** From the working folder up to the border, nearest first. */
  readonly folders: readonly string[];
  readonly files: readonly FoundFile[];
}

export interface Places {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `--config`. */
  readonly named: string | null;
  readonly systemPolicy: string;
}

const ENDINGS = ["yaml", "yml", "json"];

/** The configuration files that apply to a folder, highest layer first. */
export async function findFiles(places: Places, readers: Readers): Promise<FoundFiles> {
  const { cwd, env, named, systemPolicy } = places;
  const folders = await projectFolders(places, readers);
  const policies = [await machinePolicy(systemPolicy, readers), env.TOOLCRIB_POLICY].filter((path) => !!path);
  const files: FoundFile[] = [];
  const add = (layer: FoundFile["layer"], path: string, byName = false) =>
    files.push({ layer, path, file: showPath(path, places), named: byName });

  for (const policy of policies) {
    const path = resolve(cwd, policy ?? "");
    // A policy that was announced and is missing must not count as no policy.
    if (!files.some((file) => file.path === path)) add("policy", path);
  }
  const border = folders.at(-1) ?? cwd;
  // A home folder is a border and no project, even if it is under version control.
  let workspace = border === resolve(places.home) ? resolve(cwd) : border;
  if (named !== null) {
    add("project", resolve(cwd, named), true);
  } else {
    for (const folder of folders) {
      const local = await onlyOne(folder, "toolcrib.local", readers);
      const project = await onlyOne(folder, "toolcrib", readers);
      if (local !== null) add("local", local);
      if (project !== null) add("project", project);
      if (local === null && project === null) continue;
      workspace = folder;
      break;
    }
  }
  const user = await onlyOne(userFolder(places), "config", readers);
  if (user !== null) add("user", user);
  return { workspace, folders, files };
}

/** With any extension, like every configuration file: a file that is not read would be no policy at all. */
function machinePolicy(systemPolicy: string, readers: Readers): Promise<string | null> {
  return onlyOne(dirname(systemPolicy), basename(systemPolicy, extname(systemPolicy)), readers, true);
}

/** Where a person's own configuration and the list of trusted workspaces are. */
export function userFolder({ home, env }: Pick<Places, "home" | "env">): string {
  const base = env.XDG_CONFIG_HOME;
  // The base directory specification: a relative value must be ignored.
  return join(base?.startsWith(sep) ? base : join(home, ".config"), "toolcrib");
}

/** Variables with which people move their own folder of another product. */
const MOVED = { ".claude": "CLAUDE_CONFIG_DIR", ".copilot": "COPILOT_HOME", ".codex": "CODEX_HOME" } as const;

/** Where another product stores a person's own files. A relative value would make any working folder the person's own. */
export function productFolder(name: keyof typeof MOVED, { home, env }: Pick<Places, "home" | "env">): string {
  const moved = env[MOVED[name]];
  return moved?.startsWith(sep) ? moved : join(home, name);
}

/** As the user would write it: from the working folder if it is inside, else from the home folder. */
export function showPath(path: string, { cwd, home }: Pick<Places, "cwd" | "home">): string {
  const shown = relative(cwd, path);
  return shown === "" || shown === ".." || shown.startsWith(`..${sep}`) ? fromHome(path, home) : shown;
}

/** With `~` for the home folder. */
export function fromHome(path: string, home: string): string {
  return path.startsWith(`${home}${sep}`) ? `~${path.slice(home.length)}` : path;
}

/**
 * The working folder and its parents up to the root of the repository or the home folder. Outside both only the folder
 * itself: parents such as /tmp belong to everybody.
 */
async function projectFolders({ cwd, home }: Places, readers: Readers): Promise<readonly string[]> {
  const folders: string[] = [];
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    folders.push(folder);
    if (folder === resolve(home) || (await readers.exists(join(folder, ".git"))) === true) return folders;
    if (dirname(folder) === folder) return [resolve(cwd)];
  }
}

/** With `perhaps`, also what may be there: reading it shows. */
async function onlyOne(folder: string, name: string, readers: Readers, perhaps = false): Promise<string | null> {
  const found: string[] = [];
  for (const ending of ENDINGS) {
    const path = join(folder, `${name}.${ending}`);
    const exists = await readers.exists(path);
    if (exists === true || (perhaps && exists === null)) found.push(path);
    if (exists === null && found.length > 0) break;
  }
  if (found.length > 1) {
    const listed = found.map((path) => path.slice(folder.length + 1)).join(" and ");
    throw new ToolcribError("config.invalid", `${folder} has ${listed}; keep one of them`, { names: found });
  }
  return found[0] ?? null;
}
