import { constants } from "node:fs";
import { lstat, open, readdir, realpath, stat } from "node:fs/promises";
import { devNull } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { isStandIn } from "../../core/rules/stand-in.ts";

/** What configuration needs of the file system. */
export interface Readers {
  /** The text, or null where there is no such file. Anything else that goes wrong is thrown, also that it is no file. */
  readonly readText: (path: string) => Promise<string | null>;
  /** Names in a folder in byte order; none where there is no such folder. */
  readonly listFolder: (path: string) => Promise<readonly string[]>;
  /** Null where that cannot be told, as in a folder that may not be searched. */
  readonly exists: (path: string) => Promise<boolean | null>;
  /** The path without symbolic links; the path itself where it does not exist. */
  readonly realPath: (path: string) => Promise<string>;
}

export const fileReaders: Readers = {
  readText: (path) => orElse(readRegular(path), null),
  listFolder: async (path) => [...(await orElse(readdir(path), []))].sort(),
  exists: (path) =>
    orElse(
      lstat(path).then((found) => !isStandIn(found)),
      false,
    ).catch(() => null),
  realPath: (path) => orElse(realpath(path), path),
};

/** What is there and is not a file to read, in words for the person who named it. */
export class NotAFile extends Error {}

/**
 * Configuration is read more than once, and a pipe has its text for the first reader only: to the next it says nothing,
 * which would be no rule at all. Opening does not wait for somebody to write into one.
 */
async function readRegular(path: string): Promise<string | null> {
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = await handle.stat();
    if (found.isFile()) return await handle.readFile("utf8");
    if (found.isCharacterDevice() && found.rdev === (await stat(devNull)).rdev) return "";
    if (found.isDirectory() && (isStandIn(found) || (await becomesStandIn(path)))) return null;
    if (found.isDirectory()) throw new NotAFile("it is a folder");
    if (found.isFIFO()) throw new NotAFile("it is a pipe, which can be read only once; write it to a file");
    throw new NotAFile("it is a device, not a file");
  } finally {
    await handle.close();
  }
}

const UNTIL_DATED = 50;

/** A sandbox dates what it puts there a moment later; by then it may be gone again. */
async function becomesStandIn(path: string): Promise<boolean> {
  await wait(UNTIL_DATED);
  const found = await orElse(lstat(path), null);
  return found === null || isStandIn(found);
}

async function orElse<T, U>(work: Promise<T>, missing: U): Promise<T | U> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR"))
      return missing;
    throw error;
  }
}
