import { isAbsolute, relative, resolve, sep } from "node:path";
import type { Disk } from "./disk.ts";
import { PathRefusal } from "./path-refusal.ts";

/** A folder whose content may be touched: as a person wrote it, and its real path. */
export interface Root {
  readonly given: string;
  readonly real: string;
}

/** The first one is the workspace, which relative paths start from. */
export type Roots = readonly [Root, ...Root[]];

/**
 * Resolves the real path of each folder once. Keep the answer for the session: a folder that is later replaced by a
 * link must not become a way out.
 */
export async function loadRoots(disk: Disk, [workspace, ...added]: readonly [string, ...string[]]): Promise<Roots> {
  return [await loadRoot(disk, workspace), ...(await Promise.all(added.map((folder) => loadRoot(disk, folder))))];
}

/** Whether `path` is `folder` or below it; both absolute and normalised. `project-secrets` is not inside `project`. */
export function contains(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** The path as the model knows it: relative in the workspace, else below the added folder as given. */
export function shownPath([workspace, ...added]: Roots, real: string): string {
  if (contains(workspace.real, real)) return slashes(relative(workspace.real, real)) || ".";
  const root = added.find((candidate) => contains(candidate.real, real));
  if (root === undefined) throw new Error("a path to show lies in no root");
  return slashes(resolve(root.given, relative(root.real, real)));
}

async function loadRoot(disk: Disk, given: string): Promise<Root> {
  if (!isAbsolute(given)) throw new PathRefusal("invalid", "a workspace folder needs an absolute path");
  return { given: resolve(given), real: await disk.realpath(given) };
}

function slashes(path: string): string {
  return sep === "/" ? path : path.replaceAll(sep, "/");
}
