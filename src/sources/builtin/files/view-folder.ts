import type { ToolResult } from "../../../core/call/tool-result.ts";
import type { AnchoredFolder } from "../../../system/paths/anchored-folder.ts";
import type { Disk } from "../../../system/paths/disk.ts";
import { withFolder } from "../../../system/paths/open-inside.ts";
import type { Place } from "../../../system/paths/resolve-inside.ts";
import { succeed } from "../results.ts";
import type { Files } from "./file-handler.ts";

/** Two levels, as deep as a listing is still an overview. */
const LEVELS = 2;
const MAX_ENTRIES = 500;
/** Named, but not looked into: their content is made, not written. */
const CLOSED = new Set([".git", "node_modules"]);

interface Listing {
  readonly lines: string[];
  left: number;
}

/** The entries of a folder, two levels deep: folders with a slash, files with their size, links with an arrow. */
export async function viewFolder(place: Place, { disk, signal }: Files): Promise<ToolResult> {
  const listing: Listing = { lines: [], left: 0 };
  await withFolder(disk, place.real, (folder) => addEntries(disk, folder, "", 1, listing, signal));
  const head = place.shown === "." ? "The workspace" : place.shown;
  if (listing.lines.length === 0) return succeed(`${head} is an empty folder.`);
  const rest = listing.left > 0 ? [`[${listing.left} more entries; view a folder of it to see them.]`] : [];
  return succeed([`${head}, ${LEVELS} levels deep:`, ...listing.lines, ...rest].join("\n"));
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
    if (listing.lines.length >= MAX_ENTRIES) {
      listing.left += 1;
      continue;
    }
    const stats = await disk.lstat(folder.at(name)).catch(() => null);
    if (stats === null) continue;
    const path = `${prefix}${name}`;
    if (stats.isSymbolicLink()) listing.lines.push(`${path} ->`);
    else if (!stats.isDirectory()) listing.lines.push(`${path}  ${sizeText(stats.size)}`);
    else {
      listing.lines.push(`${path}/`);
      if (level < LEVELS && !CLOSED.has(name))
        await addFolder(disk, folder, name, `${path}/`, level + 1, listing, signal);
    }
  }
}

/** A folder that cannot be opened, or is gone by now, costs only its own entries. */
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

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const [value, unit] = bytes < 1024 ** 2 ? [bytes / 1024, "KB"] : [bytes / 1024 ** 2, "MB"];
  return `${value.toFixed(1)} ${unit}`;
}
