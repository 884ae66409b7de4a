import { writeSync } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { GENESIS, readRow } from "./audit-row.ts";

/** A file that only grows, until it is large and another one begins. */
export interface AuditFile {
  readonly path: string;
  /** The hash of its last whole row when it was opened. */
  readonly last: string;
  /** Bytes at its end that are no whole row: somebody was stopped while writing. 0 for none. */
  readonly torn: number;
  readonly size: number;
  readonly inode: number;
  append(text: string): Promise<void>;
  /** For the moment in which nothing asynchronous is done any more. */
  appendNow(text: string): void;
  /** Resolves when all of it is on the disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** More of the end is not looked at to find the last row; rows are far shorter. */
const TAIL = 1024 * 1024;

export async function openAuditFile(path: string): Promise<AuditFile> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(path, "a+", 0o600);
  try {
    const { size: bytes, ino: inode } = await file.stat();
    const { last, torn } = await readEnd(file, bytes);
    let size = bytes;
    return {
      path,
      last,
      torn,
      inode,
      get size() {
        return size;
      },
      async append(text) {
        const data = Buffer.from(text);
        for (let at = 0; at < data.length; ) at += (await file.write(data, at)).bytesWritten;
        size += data.length;
      },
      appendNow(text) {
        writeSync(file.fd, text);
      },
      sync: () => file.datasync(),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
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

/** Puts a full file aside under a number, and lets the oldest go. */
export async function rotate(path: string, keep: number): Promise<void> {
  const folder = dirname(path);
  const front = `${basename(path)}.`;
  const numbers = (await readdir(folder))
    .filter((name) => name.startsWith(front) && /^\d+$/.test(name.slice(front.length)))
    .map((name) => Number(name.slice(front.length)))
    .sort((a, b) => a - b);
  await rename(path, join(folder, `${front}${(numbers.at(-1) ?? 0) + 1}`));
  for (const number of numbers.slice(0, Math.max(0, numbers.length + 1 - keep)))
    await rm(join(folder, `${front}${number}`), { force: true });
}
