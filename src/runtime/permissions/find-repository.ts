import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isInside } from "../../core/rules/paths.ts";

/** Whether the repository that git finds from a folder upwards is one of the working folders' own. */
export function createRepositoryFinder(roots: readonly string[]): (folder: string) => "own" | "other" {
  return (folder) => {
    for (let at = folder; ; at = dirname(at)) {
      const isRoot = roots.includes(at);
      const store = join(at, ".git");
      if (isThere(store)) return isRoot || roots.some((root) => isPartOf(store, root)) ? "own" : "other";
      if (isStore(at)) return "other";
      if (isRoot || dirname(at) === at) return "own";
    }
  };
}

/** A submodule or a worktree: a file that leads into the repository of the working folder. */
function isPartOf(store: string, root: string): boolean {
  const target = targetOf(store);
  const own = join(root, ".git");
  const common = targetOf(own) ?? own;
  return target !== null && isInside(target, common.replace(/\/worktrees\/[^/]+$/, ""));
}

/** Where a `.git` file leads; null for anything else. */
function targetOf(store: string): string | null {
  try {
    if (!lstatSync(store).isFile()) return null;
    const [, path] = /^gitdir: (.*?)\s*$/.exec(readFileSync(store, "utf8")) ?? [];
    return path === undefined ? null : realpathSync(resolve(dirname(store), path));
  } catch {
    return null;
  }
}

/** Git takes the folder itself for a repository. */
function isStore(folder: string): boolean {
  const has = (name: string): boolean => isThere(join(folder, name));
  return has("HEAD") && (has("commondir") || (has("objects") && has("refs")));
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
