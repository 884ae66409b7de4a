import { basename, relative, sep } from "node:path";
import type { Notice } from "../../core/codes/reason.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { writeWhole } from "../../system/files/write-whole.ts";
import { fileReaders, type Readers } from "../layers/readers.ts";
import { approvedFolder, dropUnused, hasApproved, saveApproved } from "./approved-folder.ts";
import { type Lock, type LockFile, NO_LOCK } from "./lock.ts";
import { fromLockText, toLockText } from "./lock-text.ts";

export const LOCK_NAME = "toolcrib.lock";

/**
 * Reads a lock; a missing one is no lock, unless what it approved still exists. Throws `lock.invalid` for one that
 * cannot be read or understood: it must never count as none.
 */
export async function loadLock(
  path: string,
  cwd: string,
  readers: Pick<Readers, "readText" | "listFolder"> = fileReaders,
): Promise<LockFile> {
  const shown = relative(cwd, path);
  const file = shown === "" || shown === ".." || shown.startsWith(`..${sep}`) ? path : shown;
  let text: string | null;
  try {
    text = await readers.readText(path);
  } catch (error) {
    const why = error instanceof Error ? ("code" in error ? String(error.code) : error.message) : String(error);
    throw new ToolcribError("lock.invalid", `${file} cannot be read (${why}), so nothing is started`, {
      names: [file],
      origin: { kind: "file", file, line: null },
    });
  }
  if (text === null && (await hasApproved(path, readers.listFolder)))
    return { path, file, lock: NO_LOCK, isGone: true, lines: new Map() };
  if (text === null) return { path, file, lock: null, lines: new Map() };
  return { path, file, ...fromLockText(text, file) };
}

/** Removing the lock must neither approve everything nor go unnoticed. */
export function noticeGone({ file, isGone }: LockFile): readonly Notice[] {
  const folder = basename(approvedFolder(file));
  const text = `${file} is gone, and ${folder} beside it still has what was approved, so tools of servers and extensions are hidden; bring it back, or look at them and run \`toolcrib pin\`, or delete ${folder} too to pin nothing`;
  const origin = { kind: "file", file, line: null } as const;
  return isGone === true ? [{ level: "warning", code: "lock.gone", text, names: [file], origin }] : [];
}

/**
 * Writes a lock completely or not at all, and returns it as it would be read. What it refers to is written before it,
 * and what is no longer referred to is removed after it.
 */
export async function saveLock(lockFile: LockFile, lock: Lock): Promise<LockFile> {
  const text = toLockText(lock);
  await saveApproved(lockFile.path, lock);
  await writeWhole(lockFile.path, text);
  await dropUnused(lockFile.path, lock);
  return { path: lockFile.path, file: lockFile.file, ...fromLockText(text, lockFile.file) };
}
