import { createHash } from "node:crypto";
import { lstat, readdir, readFile, readlink, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";

const MOST_FILES = 5_000;
const MOST_BYTES = 64 * 1_048_576;
/** Why nothing in it can be trusted, as a clause for notices. */
export const CANNOT_BE_HASHED =
  "cannot be read, is larger than 64 MB or 5,000 files, or has a link that leads out of it";

/** One item of a folder: its kind, its path in the folder, and the hash of what decides its behaviour. */
export type HashedFile = readonly [kind: "folder" | "link" | "file", path: string, ...content: (string | number)[]];

/** A file, or everything in a folder, including names and modes; null if it is too large, or leads outside. */
export async function listHashes(top: string): Promise<readonly HashedFile[] | null> {
  const listed: HashedFile[] = [];
  let bytes = 0;
  const add = async (path: string): Promise<boolean> => {
    const found = await lstat(path);
    bytes += found.isFile() ? found.size : 0;
    if (listed.length >= MOST_FILES || bytes > MOST_BYTES) return false;
    const shown = relative(top, path);
    if (found.isDirectory()) {
      listed.push(["folder", shown]);
      for (const inner of (await readdir(path)).sort()) if (!(await add(join(path, inner)))) return false;
      return true;
    }
    if (found.isSymbolicLink()) {
      // The target of a link inside is hashed where it is; a target outside could change unnoticed.
      if (!(await realpath(path)).startsWith(join(await realpath(top), sep))) return false;
      listed.push(["link", shown, await readlink(path)]);
      return true;
    }
    if (!found.isFile()) return false;
    listed.push(["file", shown, found.mode & 0o111, hashText(await readFile(path))]);
    return true;
  };
  return (await add(top).catch(() => false)) ? listed : null;
}

export function hashText(text: string | Uint8Array): string {
  return createHash("sha256").update(text).digest("hex");
}
