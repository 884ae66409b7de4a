import { constants, type Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { type AnchoredFolder, openFolder } from "./anchored-folder.ts";
import type { Disk } from "./disk.ts";
import { PathRefusal } from "./path-refusal.ts";
import type { Place } from "./resolve-inside.ts";

/** Identifies the bytes a file had when it was read, to detect a change. */
export interface FileVersion {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
}

export interface OpenFile {
  readonly handle: FileHandle;
  readonly stats: Stats;
}

/** Without it, opening a pipe would block until somebody writes to it. */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** What is at a place, without following a link; null if nothing is. */
export async function statPlace(disk: Disk, place: Place): Promise<Stats | null> {
  return place.missing.length === 0 ? disk.lstat(place.real) : null;
}

/** Opens an ordinary file for reading, passes it to `use`, and closes it. */
export async function withFile<T>(disk: Disk, place: Place, use: (file: OpenFile) => Promise<T>): Promise<T> {
  requireExisting(place);
  return withFolder(disk, dirname(place.real), async (folder) => {
    const name = basename(place.real);
    const found = await disk.lstat(folder.at(name));
    if (!found.isFile() && !found.isSymbolicLink()) throw notFile(place);
    const handle = await folder.openEntry(name, READ_FLAGS);
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) throw notFile(place);
      return await use({ handle, stats });
    } finally {
      await handle.close();
    }
  });
}

/** Opens a folder by its real path, passes it to `use`, and closes it. */
export async function withFolder<T>(disk: Disk, real: string, use: (folder: AnchoredFolder) => Promise<T>): Promise<T> {
  const folder = await openFolder(disk, real);
  try {
    return await use(folder);
  } finally {
    await folder.close();
  }
}

/** The whole content of a file of at most `limit` bytes, with its version. */
export async function loadFile(
  disk: Disk,
  place: Place,
  limit: number,
): Promise<{ readonly bytes: Buffer; readonly version: FileVersion; readonly mode: number }> {
  return withFile(disk, place, async ({ handle, stats }) => {
    if (stats.size > limit) {
      throw new PathRefusal("not-file", `${place.shown} has ${stats.size} bytes; the limit here is ${limit}.`);
    }
    const bytes = await handle.readFile();
    return { bytes, version: toVersion(stats), mode: stats.mode & 0o7777 };
  });
}

export function toVersion({ dev, ino, size, mtimeMs }: Stats): FileVersion {
  return { dev, ino, size, mtimeMs };
}

export function isSameVersion(a: FileVersion, b: FileVersion): boolean {
  return a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs;
}

function requireExisting(place: Place): void {
  if (place.missing.length > 0) throw new PathRefusal("missing", `${place.shown} does not exist.`);
}

function notFile(place: Place): PathRefusal {
  return new PathRefusal("not-file", `${place.shown} is not an ordinary file.`);
}
