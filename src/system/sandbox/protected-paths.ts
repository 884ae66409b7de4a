import { join, sep } from "node:path";
import { CLOSED_PATHS, KEPT_PATHS } from "../../core/rules/protected-paths.ts";
import { findGitGuards, guardTree, isStore, STORE_PATHS } from "./git-guards.ts";
import { arrangeGuards, guardFile, guardPath, listFolder, statPath } from "./guard-path.ts";
import type { Guard } from "./sandbox-spec.ts";

const REPOSITORY = ".git";

/** What commands can neither change nor create, relative to the root of a workspace. */
export const PROTECTED_PATHS: readonly string[] = [
  ...CLOSED_PATHS,
  ...STORE_PATHS.map((path) => join(REPOSITORY, path)),
];

/** Repositories below a folder: where their `.git` is, or themselves if bare, as far as a bounded search finds them. */
export interface Nested {
  /** Relative to the folder, in byte order. */
  readonly repositories: readonly string[];
  /** False if there may be more. */
  readonly complete: boolean;
}

const MOST_FOLDERS = 5_000;
const MOST_REPOSITORIES = 32;
/** Neither contains a user's own repositories, and both are large. */
const PASSED_OVER = new Set([".git", "node_modules"]);

/** Searches repositories inside a workspace, level by level; links are not followed. */
export function findNested(root: string): Nested {
  const repositories: string[] = [];
  let level = [""];
  let looked = 0;
  while (level.length > 0) {
    const next: string[] = [];
    for (const folder of level) {
      looked += 1;
      if (looked > MOST_FOLDERS) return { repositories: repositories.sort(), complete: false };
      const entries = listFolder(join(root, folder));
      const isBare = folder !== "" && isStore(entries);
      if (isBare) repositories.push(folder);
      for (const entry of isBare ? [] : entries) {
        if (folder !== "" && entry.name === REPOSITORY) repositories.push(folder);
        if (!entry.isDirectory() || PASSED_OVER.has(entry.name)) continue;
        next.push(join(folder, entry.name));
      }
      if (repositories.length > MOST_REPOSITORIES)
        return { repositories: repositories.slice(0, MOST_REPOSITORIES).sort(), complete: false };
    }
    level = next;
  }
  return { repositories: repositories.sort(), complete: true };
}

/** Guards of a folder and of the repositories inside it; `home` holds further settings of git. */
export function findAllGuards(
  root: string,
  { repositories }: Pick<Nested, "repositories">,
  home: string,
): readonly Guard[] {
  // A repository that is gone by now needs nothing, and a link in its place would lead elsewhere.
  const there = repositories.filter((repository) =>
    repository.split(sep).every((_, at, parts) => statPath(join(root, ...parts.slice(0, at + 1)))?.isDirectory()),
  );
  const inside = there.map((repository) => join(root, repository));
  const trees = [root, ...inside.filter((tree) => statPath(join(tree, REPOSITORY)) || isStore(listFolder(tree)))];
  const closed = PROTECTED_PATHS.filter((path) => !path.startsWith(REPOSITORY + sep) && path !== REPOSITORY);
  const kept = KEPT_PATHS.map((path) => join(root, path)).filter((path) => statPath(path) !== undefined);
  return arrangeGuards([
    ...closed.flatMap((path) => guardPath(root, join(root, path), null)),
    ...kept.flatMap((path) => guardFile(root, path)),
    ...trees.flatMap((tree) => guardTree(root, tree)),
    ...findGitGuards(root, trees, home),
  ]);
}
