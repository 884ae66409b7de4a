import { hash } from "node:crypto";
import { type FileHandle, open, stat } from "node:fs/promises";
import { errnoOf } from "../../system/paths/path-refusal.ts";
import { listAuditFiles } from "./audit-file.ts";
import { type AuditRow, readRow } from "./audit-row.ts";

/** A place in a log that outlives its files being put aside. */
export interface LogPosition {
  /** The file, by how it begins; null for the oldest one that is there. */
  readonly file: string | null;
  /** Bytes of it. */
  readonly at: number;
}

export const LOG_START: LogPosition = { file: null, at: 0 };

export interface ReadRow {
  readonly line: string;
  readonly row: AuditRow;
}

interface ReadRows {
  readonly rows: readonly ReadRow[];
  /** Where the rest is. */
  readonly next: LogPosition;
  /** The file in which the position was is gone, so rows may be missing before these. */
  readonly isCut: boolean;
}

/** Bytes that tell one file from another: the number, run and time of its first row. */
const BEGINNING = 96;
/** Milliseconds within which every writer notices that its file was put aside. */
const SETTLED = 3_000;

/** The next whole rows of a log, up to so many bytes; none at its end. */
export async function readFrom(path: string, position: LogPosition, most: number): Promise<ReadRows> {
  const newest = await readPiece(path, position, most);
  if (newest?.isThere === true) return { ...newest, isCut: false };
  const files = [...(await listAuditFiles(path)).map((kept) => kept.path), path];
  let isFound = false;
  for (const file of files) {
    const piece = await readPiece(file, isFound ? LOG_START : position, most);
    if (piece === null || !(isFound || piece.isThere)) continue;
    isFound = true;
    if (piece.rows.length > 0 || file === path) return { ...piece, isCut: false };
    // At the end of one that was put aside, the next one goes on, once nobody can be writing to it any longer.
    if (!(await isSettled(file))) return { rows: [], next: piece.next, isCut: false };
  }
  if (isFound) return { rows: [], next: position, isCut: false };
  for (const file of files) {
    const piece = await readPiece(file, LOG_START, most);
    if (piece !== null && piece.rows.length > 0) return { ...piece, isCut: position.file !== null };
  }
  return { rows: [], next: position, isCut: false };
}

/** Null if there is no such file. */
async function readPiece(path: string, position: LogPosition, most: number) {
  const file = await open(path, "r").catch((error: unknown) => {
    if (errnoOf(error) === "ENOENT") return null;
    throw error;
  });
  if (file === null) return null;
  try {
    const beginning = await readBytes(file, 0, BEGINNING);
    const name = beginning.length < BEGINNING ? null : hash("sha256", beginning, "hex").slice(0, 32);
    const isThere = position.file !== null && position.file === name;
    const at = isThere ? position.at : 0;
    const bytes = name === null ? beginning.subarray(0, 0) : await readBytes(file, at, most);
    const end = bytes.lastIndexOf(0x0a) + 1;
    const lines = end === 0 ? [] : bytes.toString("utf8", 0, end - 1).split("\n");
    // What is longer than any row is none; it is passed over.
    const used = end === 0 && bytes.length === most ? bytes.length : end;
    return { isThere, rows: lines.flatMap(toReadRow), next: { file: name, at: at + used } };
  } finally {
    await file.close();
  }
}

async function isSettled(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found === null || Date.now() - found.mtimeMs > SETTLED;
}

function toReadRow(line: string): readonly ReadRow[] {
  const row = readRow(line);
  return row === null ? [] : [{ line, row }];
}

async function readBytes(file: FileHandle, at: number, most: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(most);
  let read = 0;
  while (read < most) {
    const { bytesRead } = await file.read(buffer, read, most - read, at + read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return buffer.subarray(0, read);
}
