import { join } from "node:path";
import { MOVED_ASIDE } from "./git-traps.ts";
import { listFolder } from "./guard-path.ts";
import { findNested } from "./protected-paths.ts";

/** Where git's own folder contains something that git would run. */
const PLACES = ["", "hooks", "rebase-merge", "sequencer"];

/** Files moved aside in repositories of a folder after commands had run, relative to it. */
export function findMovedAside(root: string): readonly string[] {
  const trees = ["", ...findNested(root).repositories];
  const stores = trees.flatMap((tree) => [tree, join(tree, ".git")]);
  const folders = stores.flatMap((store) => {
    const worktrees = listFolder(join(root, store, "worktrees")).map(({ name }) => join(store, "worktrees", name));
    return [store, ...worktrees].flatMap((one) => PLACES.map((place) => join(one, place)));
  });
  return folders.flatMap((folder) =>
    listFolder(join(root, folder)).flatMap(({ name }) => (MOVED_ASIDE.test(name) ? [join(folder, name)] : [])),
  );
}
