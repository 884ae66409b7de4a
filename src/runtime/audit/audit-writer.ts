import { stat } from "node:fs/promises";
import { type AuditFile, openAuditFile, rotate } from "./audit-file.ts";
import { type Head, saveHead } from "./audit-head.ts";

/** Writes rows in the order in which they are added, many at a time. */
export interface AuditWriter {
  /** Takes the row's text when it is written: many rows are cheaper to make together than one by one. */
  add(text: () => string): void;
  flush(): Promise<void>;
  /** Without waiting, while the process ends. */
  flushNow(): void;
  close(): Promise<void>;
}

export interface AuditWriterOptions {
  readonly path: string;
  readonly onError: (text: string, error: unknown) => void;
  /** The last row that was added. */
  readonly head: () => Head;
  /** A row was given up. */
  readonly onLost: () => void;
  /** What a file begins with that was just opened. */
  readonly onOpened: (file: Pick<AuditFile, "last" | "torn">, isFirst: boolean) => string;
  readonly fileBytes?: number;
}

const FILE_BYTES = 64 * 1024 * 1024;
const KEPT_FILES = 4;
const SOON = 50;
const HEAD_EVERY = 1_000;
/** Rows beyond this number that cannot be written are given up; the numbers of the rest tell that some are missing. */
const MOST_WAITING = 20_000;

export async function createAuditWriter(options: AuditWriterOptions): Promise<AuditWriter> {
  const { path, onError, head, onOpened, onLost, fileBytes = FILE_BYTES } = options;
  let file = await openAuditFile(path);
  const first = onOpened(file, true);
  let waiting: (() => string)[] = [() => first];
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> = Promise.resolve();
  let headAt = 0;
  let isBroken = false;

  const takeAll = (): string => {
    const rows = waiting;
    waiting = [];
    return rows.map(toText).join("");
  };
  /** What cannot be put into words costs its own row alone; the numbers of the others tell that it is missing. */
  const toText = (row: () => string): string => {
    try {
      return row();
    } catch (error) {
      onLost();
      onError("a row of the audit log could not be made", error);
      return "";
    }
  };
  const next = async (): Promise<void> => {
    const isMine = await stat(path).then(
      ({ ino, size }) => ino === file.inode && size > 0,
      () => false,
    );
    // Whoever else writes here may have put it aside already.
    if (isMine) await rotate(path, KEPT_FILES);
    const before = file;
    file = await openAuditFile(path);
    await before.close();
    waiting.unshift(() => onOpened(file, false));
  };
  const write = async (isLast: boolean): Promise<void> => {
    if (waiting.length === 0) return;
    const text = takeAll();
    const at = head();
    try {
      await file.append(text);
      if (file.size > fileBytes && !isLast) await next();
      if (isLast) await file.sync();
      if (isLast || performance.now() - headAt > HEAD_EVERY) {
        headAt = performance.now();
        await saveHead(path, at);
      }
      isBroken = false;
    } catch (error) {
      if (!isBroken) onError(`the audit log ${path} could not be written; calls go on without it`, error);
      isBroken = true;
    }
  };
  const flush = (isLast = false): Promise<void> => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    writing = writing.then(() => write(isLast));
    return writing;
  };

  return {
    add(text) {
      if (waiting.length >= MOST_WAITING) return onLost();
      waiting.push(text);
      timer ??= setTimeout(() => void flush(), SOON).unref();
    },
    flush: () => flush(),
    flushNow() {
      if (waiting.length > 0) file.appendNow(takeAll());
    },
    async close() {
      await flush(true);
      await file.close();
    },
  };
}
