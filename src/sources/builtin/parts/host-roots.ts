import { NODE_DISK } from "../../../system/paths/disk.ts";
import { errnoOf } from "../../../system/paths/path-refusal.ts";
import { loadRoots, type Root, type Roots } from "../../../system/paths/roots.ts";
import type { Host } from "../../host.ts";

/** The real paths of folders when they were first used: one replaced by a link later must not lead outside. */
const known = new WeakMap<Host, Map<string, Promise<Root>>>();

/** The folders that built-ins may touch; null if there is no workspace. An added folder that is gone is left out. */
export async function loadHostRoots(host: Host): Promise<Roots | null> {
  if (host.workspace === null) return null;
  const workspace = await loadRoot(host, host.workspace);
  const added = await Promise.all(host.addedDirectories.map((folder) => loadIfAny(host, folder)));
  return [workspace, ...added.filter((root) => root !== null)];
}

function loadRoot(host: Host, folder: string): Promise<Root> {
  const roots = known.get(host) ?? new Map<string, Promise<Root>>();
  known.set(host, roots);
  const root = roots.get(folder) ?? loadRoots(NODE_DISK, [folder]).then(([only]) => only);
  roots.set(folder, root);
  root.catch(() => roots.delete(folder));
  return root;
}

async function loadIfAny(host: Host, folder: string): Promise<Root | null> {
  try {
    return await loadRoot(host, folder);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw error;
  }
}
