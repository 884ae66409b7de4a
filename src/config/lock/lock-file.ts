import { relative, sep } from "node:path";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { writeWhole } from "../../system/files/write-whole.ts";
import { fileReaders, type Readers } from "../layers/readers.ts";
import { dropUnused, saveApproved } from "./approved-folder.ts";
import type { Lock, LockFile } from "./lock.ts";
import { fromLockText, toLockText } from "./lock-text.ts";

export const LOCK_NAME = "toolcrib.lock";

/**
 * Reads a lock; one that is not there is no lock. Throws `lock.invalid` for one that cannot be read or understood: it
 * must never be taken for none.
 */
export async function loadLock(
  path: string,
  cwd: string,
  readText: Readers["readText"] = fileReaders.readText,
): Promise<LockFile> {
  const shown = relative(cwd, path);
  const file = shown === "" || shown === ".." || shown.startsWith(`..${sep}`) ? path : shown;
  let text: string | null;
  try {
    text = await readText(path);
  } catch (error) {
    const why = error instanceof Error ? ("code" in error ? String(error.code) : error.message) : String(error);
    throw new ToolcribError("lock.invalid", `${file} cannot be read (${why}), so nothing is started`, {
      names: [file],
      origin: { kind: "file", file, line: null },
    });
  }
  if (text === null) return { path, file, lock: null, lines: new Map() };
  return { path, file, ...fromLockText(text, file) };
}

/**
 * Writes a lock whole or not at all, and gives it back as it would be read. What it refers to is there before it, and
 * what nothing refers to any more goes after it.
 */
export async function saveLock(held: LockFile, lock: Lock): Promise<LockFile> {
  const text = toLockText(lock);
  await saveApproved(held.path, lock);
  await writeWhole(held.path, text);
  await dropUnused(held.path, lock);
  return { path: held.path, file: held.file, ...fromLockText(text, held.file) };
}
