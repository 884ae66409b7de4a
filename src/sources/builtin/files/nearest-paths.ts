import { dirname, relative } from "node:path";
import { nearestNames } from "../../../core/codes/nearest-name.ts";
import type { Disk } from "../../../system/paths/disk.ts";
import { withFolder } from "../../../system/paths/open-inside.ts";
import type { Place } from "../../../system/paths/resolve-inside.ts";

/** A hint at which path was probably meant, to append to a sentence; empty if nothing is close. */
export async function nearestPaths(disk: Disk, place: Place): Promise<string> {
  const [wanted] = place.missing;
  if (wanted === undefined) return "";
  const names = await withFolder(disk, place.existing, (folder) => folder.names()).catch((): string[] => []);
  const near = nearestNames(wanted, names);
  if (near.length === 0) return "";
  const folder = shownFolder(place);
  return ` Near it: ${near.map((name) => (folder === "." ? name : `${folder}/${name}`)).join(", ")}.`;
}

/** The existing part of a path, as messages show it. */
function shownFolder(place: Place): string {
  const depth = relative(place.existing, place.real).split(/[\\/]/).length;
  let shown = place.shown;
  for (let level = 0; level < depth; level += 1) shown = dirname(shown);
  return shown;
}
