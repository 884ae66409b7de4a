import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
} from "node:fs";
import { devNull } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { isStandIn } from "../../core/rules/stand-in.ts";

/** What configuration needs from the file system. */
export interface Readers {
  /** The text, or null if there is no such file. Any other failure is thrown, also if it is no file. */
  readonly readText: (path: string) => Promise<string | null>;
  /** Names in a folder in byte order; none if there is no such folder. */
  readonly listFolder: (path: string) => Promise<readonly string[]>;
  /** Null if unknown, as in a folder that may not be searched. */
  readonly exists: (path: string) => Promise<boolean | null>;
  /** The path without symbolic links; the path itself if it does not exist. */
  readonly realPath: (path: string) => Promise<string>;
  /** Whether nobody but its owner may read or change it. */
  readonly isPrivate: (path: string) => Promise<boolean>;
}

/**
 * Synchronous: these files are small and most of them do not exist, and a trip to another thread takes ten times as
 * long.
 */
export const fileReaders: Readers = {
  readText: (path) => orElse(path, () => readRegular(path), null),
  listFolder: (path) => orElse(path, () => readdirSync(path).sort(), []),
  exists: async (path) => {
    try {
      const found = lstatSync(path, { throwIfNoEntry: false });
      return found !== undefined && !isStandIn(found);
    } catch {
      return null;
    }
  },
  realPath: (path) => orElse(path, () => realpathSync.native(path), path),
  // Windows has no such bits: a home folder there is its owner's.
  isPrivate: async (path) => process.platform === "win32" || (statSync(path).mode & 0o077) === 0,
};

/** Something other than a readable file, in words for the person who named it. */
export class NotAFile extends Error {}

/**
 * Configuration is read more than once, and a pipe has its text for the first reader only: the next would find it
 * empty, which would mean no rules at all. Opening does not block on a pipe.
 */
async function readRegular(path: string): Promise<string | null> {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = fstatSync(file);
    if (found.isFile()) return readFileSync(file, "utf8");
    if (found.isCharacterDevice() && found.rdev === statSync(devNull).rdev) return "";
    if (found.isDirectory() && (isStandIn(found) || (await becomesStandIn(path)))) return null;
    if (found.isDirectory()) throw new NotAFile("it is a folder");
    if (found.isFIFO()) throw new NotAFile("it is a pipe, which can be read only once; write it to a file");
    throw new NotAFile("it is a device, not a file");
  } finally {
    closeSync(file);
  }
}

const UNTIL_DATED = 50;

/** A sandbox sets the date of its stand-in a moment after creating it; by then it may be gone again. */
async function becomesStandIn(path: string): Promise<boolean> {
  await wait(UNTIL_DATED);
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found === undefined || isStandIn(found);
}

async function orElse<T, U>(path: string, look: () => T | Promise<T>, missing: U): Promise<T | U> {
  if (isMissing(path)) return missing;
  try {
    return await look();
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR"))
      return missing;
    throw error;
  }
}

/** Checked first, because an error with its stack takes longer. */
function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}
