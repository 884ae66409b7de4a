import { NODE_DISK } from "../../../system/paths/disk.ts";
import { PathRefusal } from "../../../system/paths/path-refusal.ts";
import { resolveInside } from "../../../system/paths/resolve-inside.ts";
import { buildChildEnv } from "../../../system/process/child-env.ts";
import type { Host, Launch } from "../../host.ts";
import { loadHostRoots } from "../parts/host-roots.ts";

/** Without a pager, nothing waits for a key. */
const PAGERS = { PAGER: "cat", GIT_PAGER: "cat" } as const;

/** How to start a program in a folder of the workspace, through the sandbox if there is one. */
export async function toShellLaunch(host: Host, argv: readonly string[], folder: unknown): Promise<Launch> {
  const roots = await loadHostRoots(host);
  if (roots === null) throw new PathRefusal("missing", "There is no workspace to run a command in.");
  const path = typeof folder === "string" ? folder : ".";
  const place = await resolveInside(NODE_DISK, roots, path);
  if (place.missing.length > 0 || !(await NODE_DISK.lstat(place.real)).isDirectory()) {
    throw new PathRefusal("missing", `${place.shown} is not a folder that exists.`);
  }
  return host.wrapLaunch({ argv, cwd: place.real, env: buildChildEnv(host.env, PAGERS) });
}
