import type { Disk } from "../../system/paths/disk.ts";
import { PathRefusal } from "../../system/paths/path-refusal.ts";
import { type Place, resolveInside } from "../../system/paths/resolve-inside.ts";
import type { Roots } from "../../system/paths/roots.ts";
import type { RunContext } from "../source.ts";

/**
 * The one way from a path of the model to a place that a built-in may open: inside the roots, and not closed by a rule to
 * the place where it really leads. Whatever opens a place checks that the descriptor is that very place, so a link that
 * is swapped after the call was judged, or after this, leads nowhere.
 */
export async function findPlace(disk: Disk, roots: Roots, path: string, { whyClosed }: RunContext): Promise<Place> {
  const place = await resolveInside(disk, roots, path);
  const why = whyClosed?.(path, place.real) ?? null;
  if (why !== null) throw new PathRefusal("closed", why);
  return place;
}
