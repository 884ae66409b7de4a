import { basename, dirname, resolve } from "node:path";
import type { Disk } from "./disk.ts";
import { errnoOf, PathRefusal } from "./path-refusal.ts";
import { contains, type Roots, shownPath } from "./roots.ts";

/** A place inside the roots, with every link on the way already followed. */
export interface Place {
  readonly real: string;
  /** Its name in texts. */
  readonly shown: string;
  /** The deepest existing folder or file on the way. */
  readonly existing: string;
  /** The missing names below that, in order; empty if the place itself exists. */
  readonly missing: readonly string[];
}

const MAX_PATH_LENGTH = 4096;

/**
 * Where a model's path really leads, if that is inside the roots; throws a refusal otherwise. What lies outside is
 * refused by its spelling alone if possible, so that the answer reveals nothing about what exists there. The answer is
 * only valid for this moment: open the place with `openFile` or `changeFiles`, which check again.
 */
export async function resolveInside(disk: Disk, roots: Roots, path: string): Promise<Place> {
  checkSpelling(path);
  const absolute = resolve(roots[0].given, path);
  if (!roots.some(({ given, real }) => contains(given, absolute) || contains(real, absolute))) throw outside(path);
  const missing: string[] = [];
  for (let current = absolute; ; current = dirname(current)) {
    const existing = await realpathIfAny(disk, current, path);
    if (existing !== null) return toPlace(roots, path, existing, missing);
    // At the top of a file system nothing is left to look for; a root that vanished ends here too.
    if (dirname(current) === current) throw outside(path);
    missing.unshift(basename(current));
  }
}

function checkSpelling(path: string): void {
  if (path === "") throw new PathRefusal("invalid", "The path is empty; give a path inside the workspace.");
  if (path.includes("\0")) throw new PathRefusal("invalid", "The path holds a NUL character.");
  if (path.length > MAX_PATH_LENGTH) throw new PathRefusal("invalid", "The path is too long.");
  if (/^~(?:[/\\]|$)/.test(path)) {
    throw new PathRefusal("invalid", `${JSON.stringify(path)}: "~" is not expanded; give a path inside the workspace.`);
  }
}

/** Null if nothing is there. A dangling link is refused, because writing through it would create its target. */
async function realpathIfAny(disk: Disk, current: string, path: string): Promise<string | null> {
  try {
    return await disk.realpath(current);
  } catch (error) {
    const code = errnoOf(error);
    if (code === "ELOOP") throw brokenLink(path);
    if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
  }
  try {
    const found = await disk.lstat(current);
    if (found.isSymbolicLink()) throw brokenLink(path);
  } catch (error) {
    const code = errnoOf(error);
    if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
  }
  return null;
}

function toPlace(roots: Roots, path: string, existing: string, missing: readonly string[]): Place {
  if (!roots.some(({ real }) => contains(real, existing))) throw outside(path);
  const real = resolve(existing, ...missing);
  return { real, shown: shownPath(roots, real), existing, missing };
}

function outside(path: string): PathRefusal {
  return new PathRefusal("outside", `${JSON.stringify(path)} is outside the workspace and the added folders.`);
}

function brokenLink(path: string): PathRefusal {
  return new PathRefusal("link", `${JSON.stringify(path)} goes through a symbolic link that leads nowhere.`);
}
