import { stat } from "node:fs/promises";
import { listAuditFiles } from "./audit-file.ts";
import type { AuditRow } from "./audit-row.ts";
import { readAudit } from "./read-audit.ts";

/** Continues reading a log from where it was left. */
export interface AuditTail {
  /** The new rows, including those at the end of files that were full and put aside in the meantime. */
  read(signal: AbortSignal): AsyncGenerator<AuditRow, void, void>;
}

/** Begins after so many bytes of the file. */
export async function openAuditTail(path: string, start: number): Promise<AuditTail> {
  let inode = (await lookAt(path))?.ino ?? null;
  let at = start;

  /** A row that is just being written is incomplete, and is read again. */
  async function* rest(file: string, signal: AbortSignal): AsyncGenerator<AuditRow, void, void> {
    for await (const { row, end } of readAudit(file, signal, at)) {
      if (row === null) continue;
      at = end;
      yield row;
    }
  }
  /** Of the file that was read last, and of those begun and filled since. */
  async function* aside(signal: AbortSignal): AsyncGenerator<AuditRow, void, void> {
    const kept = await listAuditFiles(path);
    const found = await Promise.all(kept.map((file) => lookAt(file.path)));
    const from = found.findIndex((one) => one !== null && one.ino === inode);
    if (from < 0) return;
    for (const file of kept.slice(from)) {
      yield* rest(file.path, signal);
      at = 0;
    }
  }

  return {
    async *read(signal) {
      const now = await lookAt(path);
      if (inode !== null && now?.ino !== inode) {
        yield* aside(signal);
        at = 0;
      }
      inode = now?.ino ?? null;
      if (now === null || now.size < at) at = 0;
      yield* rest(path, signal);
    },
  };
}

async function lookAt(path: string): Promise<{ readonly ino: number; readonly size: number } | null> {
  return stat(path).catch(() => null);
}
