import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import type { Disk } from "./disk.ts";
import { errnoOf, PathRefusal } from "./path-refusal.ts";

/** An open folder whose entries are reached without walking its path again, if the system supports that. */
export interface AnchoredFolder {
  /** Its real path when it was opened. */
  readonly path: string;
  /** A path to an entry, for calls that do not follow a link in the last component. */
  at(name: string): string;
  /** Opens an entry, never through a link. */
  openEntry(name: string, flags: number, mode?: number): Promise<FileHandle>;
  /** Opens a folder in it, never through a link. */
  openFolder(name: string): Promise<AnchoredFolder>;
  names(): Promise<string[]>;
  /** Throws if the folder has been moved. */
  confirm(): Promise<void>;
  close(): Promise<void>;
}

const FOLDER_FLAGS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0);

/** Opens a folder by its real path, and refuses if that path leads elsewhere by now. */
export async function openFolder(disk: Disk, path: string): Promise<AnchoredFolder> {
  return anchor(disk, path, await openChecked(disk, path, path, FOLDER_FLAGS));
}

function anchor(disk: Disk, path: string, handle: FileHandle): AnchoredFolder {
  const base = disk.anchoring === "descriptor" ? descriptorPath(handle) : path;
  const at = (name: string) => join(base, entryName(name));
  const openEntry = (name: string, flags: number, mode?: number) =>
    openChecked(disk, at(name), join(path, name), flags, mode);
  return {
    path,
    at,
    openEntry,
    openFolder: async (name) => anchor(disk, join(path, name), await openEntry(name, FOLDER_FLAGS)),
    names: async () => {
      const names = await disk.readdir(`${base}/`);
      await confirmPlace(disk, handle, path);
      return names;
    },
    confirm: () => confirmPlace(disk, handle, path),
    close: () => handle.close(),
  };
}

/** `real` is the path that the opened file must turn out to have, however `path` reached it. */
async function openChecked(disk: Disk, path: string, real: string, flags: number, mode?: number): Promise<FileHandle> {
  let handle: FileHandle;
  try {
    handle = await disk.open(path, flags | disk.noFollow, mode);
  } catch (error) {
    if (errnoOf(error) === "ELOOP") throw moved();
    throw error;
  }
  try {
    await confirmPlace(disk, handle, real);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function confirmPlace(disk: Disk, handle: FileHandle, real: string): Promise<void> {
  if (disk.anchoring === "descriptor") {
    if ((await disk.readlink(descriptorPath(handle))) !== real) throw moved();
    return;
  }
  try {
    const [opened, found] = [await handle.stat(), await disk.lstat(real)];
    if ((await disk.realpath(real)) !== real || opened.ino !== found.ino || opened.dev !== found.dev) throw moved();
  } catch (error) {
    if (errnoOf(error) === "ENOENT") throw moved();
    throw error;
  }
}

function descriptorPath(handle: FileHandle): string {
  return `/proc/self/fd/${handle.fd}`;
}

/** Entry names come from resolved paths or `readdir`; anything else is the caller's bug. */
function entryName(name: string): string {
  if (name === "" || name === "." || name === ".." || name.includes("/")) throw new Error("not the name of an entry");
  return name;
}

function moved(): PathRefusal {
  return new PathRefusal("moved", "The path was moved or replaced by a link while it was being opened. Try again.");
}
