import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** A larger file is nothing that a hook has kept. */
const MOST_BYTES = 32 * 1024 * 1024;
/** Folders that clients work in. */
const MOST_FILES = 100;

/**
 * What a hook has kept for the next one; null where there is nothing, or where others could have written it: then it is made
 * again.
 */
export function readKept(path: string): Buffer | null {
  const user = process.getuid?.();
  // Windows has no such bits, and no hooks that are in a hurry.
  if (user === undefined) return null;
  try {
    const kept = dirname(path);
    if (![kept, dirname(kept)].every((folder) => isOwn(lstatSync(folder), user))) return null;
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const found = fstatSync(file);
      return found.isFile() && isOwn(found, user) && found.size <= MOST_BYTES ? readFileSync(file) : null;
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}

/** Whole or not at all. It is only about speed, so nobody is told where there is no room for it. */
export function writeKept(path: string, bytes: Uint8Array): void {
  const user = process.getuid?.();
  if (user === undefined) return;
  const kept = dirname(path);
  const beside = `${path}.${process.pid}.new`;
  try {
    // Root in the home of another leaves nothing there that its owner could not write to.
    if (lstatSync(nearestFolder(kept)).uid !== user) return;
    mkdirSync(kept, { recursive: true, mode: 0o700 });
    if (![kept, dirname(kept)].every((folder) => isOwn(lstatSync(folder), user))) return;
    writeFileSync(beside, bytes, { mode: 0o600, flag: "wx" });
    renameSync(beside, path);
    removeOldest(kept);
  } catch {
    removeQuietly(beside);
  }
}

/** The first on the way up that is there. */
function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path));
}

function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The way to it is no folder.
  }
}

function isOwn({ uid, mode }: { readonly uid: number; readonly mode: number }, user: number): boolean {
  return uid === user && (mode & 0o077) === 0;
}

function removeOldest(folder: string): void {
  const names = readdirSync(folder);
  if (names.length <= MOST_FILES) return;
  const dated = names.flatMap((name) => {
    const path = join(folder, name);
    const found = statSync(path, { throwIfNoEntry: false });
    return found === undefined ? [] : [{ path, at: found.mtimeMs }];
  });
  dated.sort((a, b) => a.at - b.at);
  for (const { path } of dated.slice(0, names.length - MOST_FILES)) rmSync(path, { force: true });
}
