import type { Disk } from "../../../system/paths/disk.ts";
import { statPlace } from "../../../system/paths/open-inside.ts";
import { PathRefusal } from "../../../system/paths/path-refusal.ts";
import { type Place, resolveInside } from "../../../system/paths/resolve-inside.ts";
import type { Roots } from "../../../system/paths/roots.ts";
import type { RunContext } from "../../source.ts";
import { createTwinFinder } from "./closed-twin.ts";

/**
 * The only way from a model's path to a location that a built-in may open: inside the roots, with no rule closing the
 * location where it really leads. The code that opens it checks that the descriptor is that very location, so a link
 * that is swapped after the call was judged, or after this, leads nowhere.
 */
export async function findPlace(disk: Disk, roots: Roots, path: string, context: RunContext): Promise<Place> {
  const place = await resolveInside(disk, roots, path);
  const why = context.whyClosed?.(path, place.real) ?? (await whyTwin(disk, place, path, context));
  if (why !== null) throw new PathRefusal("closed", why);
  return place;
}

async function whyTwin(disk: Disk, place: Place, path: string, { mayRead }: RunContext): Promise<string | null> {
  const own = mayRead === undefined ? null : await statPlace(disk, place);
  if (mayRead === undefined || own === null || !mayRead(place.real)) return null;
  const twin = await createTwinFinder(disk, mayRead)(place.real, own);
  if (twin === null) return null;
  return `${JSON.stringify(path)} is another name of ${JSON.stringify(twin)}, which a rule does not let be read.`;
}
