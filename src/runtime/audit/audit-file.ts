import { writeSync } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { GENESIS, readRow } from "./audit-row.ts";

/** A file that only grows, until it is large and another one begins. */
export interface AuditFile {
  readonly path: string;
  /** The hash of the last whole row of the log when it was opened. */
  readonly last: string;
  /** Bytes at its end that are not a whole row, because a writer was stopped. 0 for none. */
  readonly torn: number;
  readonly size: number;
  readonly inode: number;
  /** Bytes that could not be written yet. */
  readonly behind: number;
  /** What cannot be written is buffered and written first next time, from the exact byte on. */
  append(text: string): Promise<void>;
  /** For the end of the process, when nothing asynchronous can be done any longer. */
  appendNow(text: string): void;
  /** Resolves when all of it is on the disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Bytes of the end that are searched for the last row; rows are far shorter. */
const TAIL = 1024 * 1024;
/** Full files that are kept. */
export const KEPT_FILES = 4;

/** How files are opened; on a disk that may be full. */
export type AuditHandle = (path: string, flags: string, mode?: number) => Promise<FileHandle>;

export async function openAuditFile(path: string, openFile: AuditHandle = open): Promise<AuditFile> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await openFile(path, "a+", 0o600);
  try {
    const { size: bytes, ino: inode } = await file.stat();
    const { last, torn } = bytes === 0 ? { last: await lastKept(path), torn: 0 } : await readEnd(file, bytes);
    let size = bytes;
    let rest: Buffer = EMPTY;
    /** Bytes of the rest that the system is about to write, even after the program's last moment. */
    let underWay = 0;
    return {
      path,
      last,
      torn,
      inode,
      get size() {
        return size;
      },
      get behind() {
        return rest.length;
      },
      async append(text) {
        rest = rest.length === 0 ? Buffer.from(text) : Buffer.concat([rest, Buffer.from(text)]);
        while (rest.length > 0) {
          underWay = rest.length;
          const { bytesWritten } = await file.write(rest).finally(() => {
            underWay = 0;
          });
          size += bytesWritten;
          rest = rest.subarray(bytesWritten);
        }
      },
      appendNow(text) {
        writeSync(file.fd, Buffer.concat([rest.subarray(underWay), Buffer.from(text)]));
        rest = EMPTY;
      },
      sync: () => file.datasync(),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

const EMPTY = Buffer.alloc(0);

/** A file that was just begun continues the one before it. */
async function lastKept(path: string): Promise<string> {
  const newest = (await listAuditFiles(path)).at(-1);
  if (newest === undefined) return GENESIS;
  const file = await open(newest.path, "r");
  try {
    return (await readEnd(file, (await file.stat()).size)).last;
  } finally {
    await file.close();
  }
}

async function readEnd(file: FileHandle, size: number): Promise<{ readonly last: string; readonly torn: number }> {
  const length = Math.min(size, TAIL);
  const buffer = Buffer.alloc(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await file.read(buffer, read, length - read, size - length + read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  const end = buffer.lastIndexOf(0x0a);
  const lines = buffer.subarray(0, Math.max(end, 0)).toString("utf8").split("\n").reverse();
  const row = lines.map(readRow).find((found) => found !== null);
  return { last: row?.hash ?? GENESIS, torn: length - (end + 1) };
}

interface KeptFile {
  readonly path: string;
  readonly number: number;
}

/** The full files of a log that were put aside, oldest first. */
export async function listAuditFiles(path: string): Promise<readonly KeptFile[]> {
  const folder = dirname(path);
  const front = `${basename(path)}.`;
  return (await readdir(folder).catch(() => []))
    .filter((name) => name.startsWith(front) && /^\d+$/.test(name.slice(front.length)))
    .map((name) => ({ path: join(folder, name), number: Number(name.slice(front.length)) }))
    .sort((a, b) => a.number - b.number);
}

/** Puts a full file aside under a number, and deletes the oldest. */
export async function rotate(path: string): Promise<void> {
  const kept = await listAuditFiles(path);
  await rename(path, `${path}.${(kept.at(-1)?.number ?? 0) + 1}`);
  for (const old of kept.slice(0, Math.max(0, kept.length + 1 - KEPT_FILES))) await rm(old.path, { force: true });
}

/** Where an open file is now: at the log's own path, aside because it was full, or elsewhere or nowhere. */
export async function whereIs({ path, inode }: Pick<AuditFile, "path" | "inode">): Promise<"here" | "aside" | "gone"> {
  const isThis = (at: string) =>
    stat(at).then(
      ({ ino }) => ino === inode,
      () => false,
    );
  if (await isThis(path)) return "here";
  for (const kept of await listAuditFiles(path)) if (await isThis(kept.path)) return "aside";
  return "gone";
}
