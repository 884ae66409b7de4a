import { accessSync, constants, type Dirent, lstatSync, readdirSync, realpathSync, type Stats } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { isStandIn } from "../../core/rules/stand-in.ts";
import { contains } from "../paths/roots.ts";
import type { Guard } from "./sandbox-spec.ts";

/** What is at a path of a folder. A link cannot be protected: it could be replaced. */
export function kindOf(root: string, path: string): "absent" | "folder" | "file" {
  const found = statPath(join(root, path));
  // What the sandbox itself put there for another command vanishes when that one ends.
  if (found === undefined || isStandIn(found)) return "absent";
  if (found.isSymbolicLink()) {
    const text = `${path} is a symbolic link, which a sandbox cannot protect. Put the file or folder itself there, or remove the link.`;
    throw new ToolcribError("sandbox.protected-link", text, { names: [path] });
  }
  return found.isDirectory() ? "folder" : "file";
}

/**
 * Guards for a path at any depth of a folder: each parent folder stays in its place. If one of those is absent, nothing
 * may create it. `text` is the content of the stand-in for an absent file; null makes it a folder.
 */
export function guardPath(root: string, path: string, text: string | null): readonly Guard[] {
  const parts = relative(root, path).split(sep);
  const guards: Guard[] = [];
  for (let at = 1; at < parts.length; at++) {
    const above = parts.slice(0, at).join(sep);
    const kind = kindOf(root, above);
    if (kind === "file") return guards;
    if (kind === "absent") return [...guards, { kind: "absent", path: join(root, above), text: null }];
    guards.push({ kind: "within", path: join(root, above) });
  }
  if (kindOf(root, parts.join(sep)) !== "absent") return [...guards, { kind: "present", path }];
  return isOutOfReach(dirname(path)) ? guards : [...guards, { kind: "absent", path, text }];
}

/** Guards for an existing file. A link cannot be protected: its target is, and the folder that holds the link. */
export function guardFile(root: string, path: string): readonly Guard[] {
  try {
    const real = realpathSync(path);
    const link = firstLink(root, path);
    const file = contains(root, real) && real !== root ? guardPath(root, real, null) : [];
    if (link === null || file.length === 0 || dirname(link) === root) return file;
    return [...file, ...guardPath(root, dirname(link), null)];
  } catch {
    return [];
  }
}

function firstLink(root: string, path: string): string | null {
  const parts = relative(root, path).split(sep);
  const places = parts.map((_, at) => [root, ...parts.slice(0, at + 1)].join(sep));
  return places.find((place) => statPath(place)?.isSymbolicLink()) ?? null;
}

/** Nobody here can create anything in the folder, nor change that. */
function isOutOfReach(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return false;
  } catch (error) {
    const isReadOnly = error instanceof Error && "code" in error && error.code === "EROFS";
    return isReadOnly || statPath(folder)?.uid !== process.getuid?.();
  }
}

const STRENGTH = { within: 0, open: 0, absent: 1, present: 2 } as const;

/**
 * One guard per path, the strongest, parents first: a later mount would hide it. Below what cannot be changed at all
 * nothing needs a guard, and a mount there would open it again.
 */
export function arrangeGuards(guards: readonly Guard[]): readonly Guard[] {
  const strongest = new Map<string, Guard>();
  for (const guard of guards) {
    const known = strongest.get(guard.path);
    if (known === undefined || STRENGTH[guard.kind] > STRENGTH[known.kind]) strongest.set(guard.path, guard);
  }
  const isClosed = ({ kind }: Guard): boolean => kind === "present" || kind === "absent";
  const closed = new Set([...strongest.values()].filter(isClosed).map(({ path }) => path));
  const isBelowClosed = (path: string): boolean => {
    for (let end = path.lastIndexOf(sep); end > 0; end = path.lastIndexOf(sep, end - 1))
      if (closed.has(path.slice(0, end))) return true;
    return false;
  };
  return [...strongest.values()]
    .filter(({ kind, path }) => kind === "open" || !isBelowClosed(path))
    .sort((one, two) => one.path.split(sep).length - two.path.split(sep).length);
}

const NOTHING = new Set<unknown>(["ENOENT", "ENOTDIR", "ENAMETOOLONG"]);

/** What is there, without following a link. */
export function statPath(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (error instanceof Error && "code" in error && NOTHING.has(error.code)) return undefined;
    throw error;
  }
}

export function listFolder(path: string): readonly Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}
