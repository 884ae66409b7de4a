import { chmod, lstat, mkdir, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { errnoOf } from "../../../system/paths/path-refusal.ts";

/** "TCrb": what the header of our files says. */
export const APPLICATION_ID = 0x54437262;
const APPLICATION_ID_AT = 68;
const HEADER = 100;
/** The file and those that SQLite puts beside it. */
const SUFFIXES = ["", "-wal", "-shm", "-journal"];

export type FileState =
  | { readonly kind: "new" }
  /** `short`: something may be missing from its end. */
  | { readonly kind: "ours"; readonly short: boolean };

/**
 * Makes sure that there is a file of ours at the path, for its owner alone. A link, a file of somebody else or of
 * another program is refused and not touched.
 */
export async function prepareSqliteFile(path: string): Promise<FileState> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw unavailable(path, error);
  });
  for (const suffix of SUFFIXES) await requirePlain(`${path}${suffix}`);
  await create(path);
  const { size, header } = await readHeader(path);
  if (size === 0) return { kind: "new" };
  if (header.length < HEADER || header.readUInt32BE(APPLICATION_ID_AT) !== APPLICATION_ID)
    throw refused(path, "it is a file of another program");
  await chmod(path, 0o600);
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  return { kind: "ours", short: size < pageSize * header.readUInt32BE(28) };
}

/** Renames a file that cannot be read, with what belongs to it; returns its new path. */
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
