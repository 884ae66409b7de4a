import { constants, writeFileSync } from "node:fs";
import { lstat, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { errnoOf } from "../../../system/paths/path-refusal.ts";

/** "TCrb", in the header of our files. */
export const APPLICATION_ID = 0x54437262;
const APPLICATION_ID_AT = 68;
const HEADER = 100;
/** Marker next to a file in which damage was found in use. */
const DAMAGED = "-damaged";
/** The file and those that SQLite and we put next to it. */
const SUFFIXES = ["", "-wal", "-shm", "-journal", DAMAGED];

export type FileState =
  | { readonly kind: "new" }
  /** `short`: something may be missing at its end. `suspect`: damage was found in it. */
  | { readonly kind: "ours"; readonly short: boolean; readonly suspect: boolean };

/**
 * Makes sure that there is a file of ours at the path, for its owner alone. A link, another person's file or another
 * program's file is refused and not touched.
 */
export async function prepareSqliteFile(path: string): Promise<FileState> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw unavailable(path, error);
  });
  for (const suffix of SUFFIXES) await requirePlain(`${path}${suffix}`);
  await create(path);
  const { size, header } = await readHeader(path);
  if (size > 0 && (header.length < HEADER || header.readUInt32BE(APPLICATION_ID_AT) !== APPLICATION_ID))
    throw refused(path, "it is a file of another program");
  for (const suffix of SUFFIXES) await closeToOthers(`${path}${suffix}`);
  if (size === 0) return { kind: "new" };
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  const suspect = (await stat(`${path}${DAMAGED}`).catch(ignoreMissing)) !== undefined;
  return { kind: "ours", short: size < pageSize * header.readUInt32BE(28), suspect };
}

/** Makes the next process that opens the file check all of it. */
export function noteDamage(path: string): void {
  try {
    writeFileSync(`${path}${DAMAGED}`, "", { flag: "wx", mode: 0o600 });
  } catch {
    // It is marked already, or nothing can be written here, and then nothing can be put aside either.
  }
}

/** The file was checked and is intact. */
export async function clearDamage(path: string): Promise<void> {
  await rm(`${path}${DAMAGED}`, { force: true });
}

/** Renames an unreadable file, with those next to it; returns its new path. */
export async function putAside(path: string, today: Date): Promise<string> {
  const name = `unreadable-${today.toISOString().replace(/[:.]/g, "-")}`;
  for (const suffix of SUFFIXES) await rename(`${path}${suffix}`, `${path}.${name}${suffix}`).catch(ignoreMissing);
  return `${path}.${name}`;
}

async function requirePlain(path: string): Promise<void> {
  const found = await lstat(path).catch(ignoreMissing);
  if (!found) return;
  if (found.isSymbolicLink()) throw refused(path, "it is a link");
  if (!found.isFile() || found.nlink > 1) throw refused(path, "it is not a regular file");
  const user = process.getuid?.();
  if (user !== undefined && found.uid !== user) throw refused(path, "it belongs to another user");
}

/**
 * A umask or a backup may have opened it to everybody, and anyone who can write to it controls what sessions contain.
 */
async function closeToOthers(path: string): Promise<void> {
  if (process.platform === "win32") return;
  // Never through a link that appeared in between.
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(ignoreMissing);
  if (!handle) return;
  try {
    if (((await handle.stat()).mode & OTHERS) === 0) return;
    await handle.chmod(0o600).catch(() => undefined);
    if ((await handle.stat()).mode & OTHERS)
      throw refused(path, "others may read or write it, and that cannot be changed on this disk");
  } finally {
    await handle.close();
  }
}

const OTHERS = 0o077;

async function create(path: string): Promise<void> {
  try {
    await (await open(path, "wx", 0o600)).close();
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw unavailable(path, error);
  }
}

async function readHeader(path: string): Promise<{ readonly size: number; readonly header: Buffer }> {
  const handle = await open(path, "r").catch((error: unknown) => {
    throw unavailable(path, error);
  });
  try {
    const { size } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER), 0, HEADER, 0);
    return { size, header: buffer.subarray(0, bytesRead) };
  } finally {
    await handle.close();
  }
}

function ignoreMissing(error: unknown): undefined {
  if (errnoOf(error) !== "ENOENT") throw error;
}

function refused(path: string, why: string): ToolcribError {
  return new ToolcribError(
    "store.refused",
    `${path} is not used as a store: ${why}; move it away, or name another file`,
  );
}

function unavailable(path: string, error: unknown): ToolcribError {
  const why = error instanceof Error ? error.message : String(error);
  return new ToolcribError("store.unavailable", `the store at ${path} cannot be opened: ${why}`);
}
