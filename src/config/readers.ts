import { lstat, readdir, readFile, realpath } from "node:fs/promises";

/** What configuration needs of the file system. */
export interface Readers {
  /** The text, or null where there is no such file. Anything else that goes wrong is thrown. */
  readonly readText: (path: string) => Promise<string | null>;
  /** Names in a folder in byte order; none where there is no such folder. */
  readonly listFolder: (path: string) => Promise<readonly string[]>;
  /** Null where that cannot be told, as in a folder that may not be searched. */
  readonly exists: (path: string) => Promise<boolean | null>;
  /** The path without symbolic links; the path itself where it does not exist. */
  readonly realPath: (path: string) => Promise<string>;
}

/** So dated is what a sandbox puts where protected files are absent, while its commands run. */
const STAND_IN_TIME = 1_000;

export const fileReaders: Readers = {
  readText: (path) => orElse(readFile(path, "utf8"), null),
  listFolder: async (path) => [...(await orElse(readdir(path), []))].sort(),
  exists: (path) =>
    orElse(
      lstat(path).then(({ mtimeMs }) => mtimeMs !== STAND_IN_TIME),
      false,
    ).catch(() => null),
  realPath: (path) => orElse(realpath(path), path),
};

async function orElse<T, U>(work: Promise<T>, missing: U): Promise<T | U> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR"))
      return missing;
    throw error;
  }
}
