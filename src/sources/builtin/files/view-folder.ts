import type { AnchoredFolder } from "../../../system/paths/anchored-folder.ts";
import type { Disk } from "../../../system/paths/disk.ts";
import { withFolder } from "../../../system/paths/open-inside.ts";
import type { Place } from "../../../system/paths/resolve-inside.ts";
import { type BuiltinResult, type FolderEntry, toResult } from "../parts/outcome.ts";
import type { Files } from "./file-handler.ts";

/** Two levels: deeper, a listing is no longer an overview. */
const LEVELS = 2;
const MAX_ENTRIES = 500;
/** Listed, but not entered: their content is generated. */
const CLOSED = new Set([".git", "node_modules"]);

interface Listing {
  readonly entries: FolderEntry[];
  left: number;
}

/** The entries of a folder, two levels deep. */
export async function viewFolder(place: Place, { disk, signal }: Files): Promise<BuiltinResult> {
  const listing: Listing = { entries: [], left: 0 };
  await withFolder(disk, place.real, (folder) => addEntries(disk, folder, "", 1, listing, signal));
  return toResult({ what: "folder", path: place.shown, levels: LEVELS, ...listing });
}

async function addEntries(
  disk: Disk,
  folder: AnchoredFolder,
  prefix: string,
  level: number,
  listing: Listing,
  signal: AbortSignal,
): Promise<void> {
  const names = (await folder.names()).sort();
  for (const name of names) {
    signal.throwIfAborted();
    if (listing.entries.length >= MAX_ENTRIES) {
      listing.left += 1;
      continue;
    }
    const stats = await disk.lstat(folder.at(name)).catch(() => null);
    if (stats === null) continue;
    const path = `${prefix}${name}`;
    const kind = stats.isSymbolicLink() ? "link" : stats.isDirectory() ? "folder" : "file";
    listing.entries.push({ path, kind, size: stats.size });
    if (kind === "folder" && level < LEVELS && !CLOSED.has(name))
      await addFolder(disk, folder, name, `${path}/`, level + 1, listing, signal);
  }
}

/** A folder that cannot be opened, or is gone by now, only loses its own entries. */
async function addFolder(
  disk: Disk,
  parent: AnchoredFolder,
  name: string,
  prefix: string,
  level: number,
  listing: Listing,
  signal: AbortSignal,
): Promise<void> {
  const folder = await parent.openFolder(name).catch(() => null);
  if (folder === null) return;
  try {
    await addEntries(disk, folder, prefix, level, listing, signal);
  } finally {
    await folder.close();
  }
}
