import type { Dirent } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileWords, toNamedPath } from "../host-programs/named-paths.ts";
import { contains } from "../paths/roots.ts";
import { type GitSetting, isInclude, readGitSettings } from "./git-settings.ts";
import { guardPath, kindOf, listFolder, statPath } from "./guard-path.ts";
import type { Guard } from "./sandbox-spec.ts";

const STORE = ".git";

/** What git reads in its own folder, the store, to decide what to run. */
export const STORE_PATHS = ["commondir", "config", "config.worktree", "hooks", "modules"] as const;

/** Where git would stumble over an empty folder. The first one says: the common folder is where it is anyway. */
const TEXTS: ReadonlyMap<string, string> = new Map([
  ["commondir", "."],
  ["config", ""],
  ["config.worktree", ""],
]);

/**
 * The guards of a working tree: parts of its store are protected one by one, so that commits work. If it has none,
 * nothing may create one; and nothing may turn the folder itself into one, which git would use once `.git` is broken.
 */
export function guardTree(root: string, tree: string): readonly Guard[] {
  const store = storeOf(tree);
  if (store === tree) return guardStore(root, tree);
  const own = store === null ? guardPath(root, join(tree, STORE), null) : guardStore(root, store);
  return [...own, ...guardAgainstStore(root, tree)];
}

/** The store of a working tree, or the folder itself if it is one; null if a file points to it, or there is none. */
function storeOf(tree: string): string | null {
  const inside = join(tree, STORE);
  if (statPath(inside)?.isDirectory() === true && kindOf(tree, STORE) === "folder") return inside;
  return isStore(listFolder(tree)) ? tree : null;
}

function guardStore(root: string, store: string): readonly Guard[] {
  return STORE_PATHS.flatMap((path) => guardPath(root, join(store, path), TEXTS.get(path) ?? null));
}

/** A store has `refs` and `objects`, or says in `commondir` where they are. */
function guardAgainstStore(root: string, tree: string): readonly Guard[] {
  const free = ["refs", "objects"].find((name) => kindOf(root, relative(root, join(tree, name))) === "absent");
  return ["commondir", ...(free === undefined ? [] : [free])].flatMap((name) =>
    guardPath(root, join(tree, name), null),
  );
}

/** Whether git would take the folder itself for a repository. */
export function isStore(entries: readonly Dirent[]): boolean {
  const isFolder = (wanted: string): boolean => entries.some((entry) => entry.name === wanted && entry.isDirectory());
  return entries.some(({ name }) => name === "HEAD") && isFolder("objects") && isFolder("refs");
}

/** What repositories themselves make git run: settings of further worktrees, and what settings name. */
export function findGitGuards(root: string, trees: readonly string[], home: string): readonly Guard[] {
  const stores = trees.flatMap((tree) => storeOf(tree) ?? []);
  const folders = stores.flatMap((store) => [store, ...worktreesOf(store)]);
  const files = [
    ...folders.flatMap((folder) => ["config", "config.worktree"].map((name) => join(folder, name))),
    ...[join(home, ".gitconfig"), join(home, ".config", "git", "config"), "/etc/gitconfig"],
  ];
  const named = readGitSettings(files, home).flatMap((one) => trees.flatMap((tree) => namedBy(one, tree, home)));
  return [
    ...stores.flatMap((store) => guardWorktrees(root, store)),
    ...named
      .filter(({ path }) => path !== root && contains(root, path))
      .flatMap(({ path, text }) => guardPath(root, path, text)),
  ];
}

/** More are not worth a mount each. */
const MOST_WORKTREES = 64;

/** For each further worktree: the location of its common folder, and its own settings. */
function guardWorktrees(root: string, store: string): readonly Guard[] {
  const trees = worktreesOf(store);
  if (trees.length > MOST_WORKTREES) return guardPath(root, join(store, "worktrees"), null);
  return trees.flatMap((tree) =>
    ["commondir", "config.worktree"].flatMap((name) =>
      guardPath(root, join(tree, name), name === "commondir" ? "../.." : ""),
    ),
  );
}

function worktreesOf(store: string): readonly string[] {
  const folder = join(store, "worktrees");
  return listFolder(folder)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name));
}

interface Named {
  readonly path: string;
  /** The content of the stand-in while it is absent; a folder if null. */
  readonly text: string | null;
}

const FOLDERS = new Set(["core.hookspath", "init.templatedir"]);

/**
 * What a setting names: settings files, hook folders, and every word that may be a program or its script. A word counts
 * if the file exists, or could be created in an existing folder.
 */
function namedBy({ name, value, folder }: GitSetting, tree: string, home: string): readonly Named[] {
  if (value === "") return [];
  if (isInclude(name)) return [{ path: toNamedPath(value, folder, home), text: "" }];
  if (FOLDERS.has(name)) return [{ path: fromHidden(toNamedPath(value, tree, home), tree), text: null }];
  return fileWords(value).flatMap((word) => {
    const path = toNamedPath(word, tree, home);
    const found = statPath(path);
    const counts =
      found === undefined
        ? word.includes("/") && statPath(dirname(path))?.isDirectory() === true
        : !found.isDirectory();
    return counts ? [{ path, text: null }] : [];
  });
}

/** Hooks call their neighbours: `.husky/_` is guarded from `.husky` on. */
function fromHidden(path: string, tree: string): string {
  const parts = relative(tree, path).split(sep);
  const hidden = parts.findIndex((part) => part.startsWith(".") && part !== ".." && part !== STORE);
  return hidden === -1 || parts[0] === ".." ? path : join(tree, ...parts.slice(0, hidden + 1));
}
