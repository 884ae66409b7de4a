import { oneAtATime } from "../../system/files/one-at-a-time.ts";
import { type AuditFile, type AuditHandle, openAuditFile, rotate, whereIs } from "./audit-file.ts";
import { type Head, openHead } from "./audit-head.ts";

/** Writes rows in the order in which they are added, many at a time. */
export interface AuditWriter {
  /** Takes the row's text when it is written: many rows are cheaper to make together than one by one. */
  add(text: () => string): void;
  flush(): Promise<void>;
  /** Without waiting, while the process ends. */
  flushNow(): void;
  close(): Promise<void>;
}

/** Why a file was opened: the program began, the one before it was full, or it was taken away. */
type Opening = "first" | "full" | "taken";

export interface AuditWriterOptions {
  readonly path: string;
  readonly onError: (text: string, error: unknown) => void;
  /** Rows that could not be written for a while are, and how many are not. */
  readonly onMended: (text: string) => void;
  /** The last row that was made. */
  readonly head: () => Head;
  /** A row was given up. */
  readonly onLost: () => void;
  /** What a file begins with that was just opened. */
  readonly onOpened: (file: Pick<AuditFile, "last" | "torn">, why: Opening) => string;
  readonly fileBytes?: number;
  readonly openFile?: AuditHandle;
}

const FILE_BYTES = 64 * 1024 * 1024;
const SOON = 50;
/** Milliseconds between two looks at the file's place, and until a write that failed is tried again. */
const NOW_AND_THEN = 1_000;
/** Rows beyond this number that cannot be written are given up; the numbers of the rest tell that some are missing. */
const MOST_WAITING = 20_000;

export async function createAuditWriter(options: AuditWriterOptions): Promise<AuditWriter> {
  const { path, onError, onMended, head, onOpened, onLost, fileBytes = FILE_BYTES, openFile } = options;
  let file = await openAuditFile(path, openFile);
  const first = onOpened(file, "first");
  let waiting: (() => string)[] = [() => first];
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> = Promise.resolve();
  const heads = openHead(path);
  /** The last row that is written, where its head is not. */
  let unsaved: Head | null = null;
  let lookedAt = performance.now();
  let isBroken = false;
  let hasBegun = false;
  /** Rows that found no place since the last that did. */
  let refused = 0;
  /** Rows that are missing since the last time that all was well. */
  let lost = 0;

  const lose = (): void => {
    lost += 1;
    onLost();
  };
  const takeAll = (): string => {
    const rows = waiting;
    waiting = [];
    hasBegun = true;
    const text = rows.map(toText).join("");
    // They would have come behind these.
    for (; refused > 0; refused -= 1) lose();
    return text;
  };
  /** What cannot be put into words costs its own row alone; the numbers of the others tell that it is missing. */
  const toText = (row: () => string): string => {
    try {
      return row();
    } catch (error) {
      lose();
      onError("a row of the audit log could not be made", error);
      return "";
    }
  };
  const reopen = async (why: Opening): Promise<void> => {
    const before = file;
    file = await openAuditFile(path, openFile);
    await before.close();
    // Its own first row was made before all others, also where it still waits.
    waiting.splice(hasBegun ? 0 : 1, 0, () => onOpened(file, why));
  };
  const next = async (): Promise<void> => {
    // Of two that find it full, the second would put the next one aside, maybe over the first.
    const place = await oneAtATime(path, async () => {
      const found = await whereIs(file);
      if (found === "here") await rotate(path);
      return found;
    });
    await reopen(place === "gone" ? "taken" : "full");
  };
  /** Whoever else writes here may have put the file aside, and anybody may have moved it or thrown it away. */
  const look = async (): Promise<void> => {
    if (performance.now() - lookedAt < NOW_AND_THEN) return;
    lookedAt = performance.now();
    const place = await whereIs(file);
    if (place !== "here") await reopen(place === "gone" ? "taken" : "full");
  };
  const tellBroken = (error: unknown): void => {
    if (!isBroken) onError(`the audit log ${path} could not be written; calls go on without it`, error);
    isBroken = true;
  };
  const write = async (isLast: boolean): Promise<void> => {
    if (waiting.length === 0 && file.behind === 0 && unsaved === null) return;
    try {
      // No row is made before all earlier ones are written, or nothing would bound what is kept.
      if (file.behind > 0) await file.append("");
      await look();
      const text = takeAll();
      const at = head();
      await file.append(text);
      unsaved = at;
      await heads.save(at);
      unsaved = null;
      if (file.size > fileBytes && !isLast) await next();
      if (isLast) await file.sync();
      if (isBroken) onMended(`the audit log ${path} is written again; ${describeLoss(lost)}`);
      isBroken = false;
      lost = 0;
    } catch (error) {
      tellBroken(error);
      timer ??= setTimeout(() => void flush(), NOW_AND_THEN).unref();
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
      if (waiting.length >= MOST_WAITING) {
        refused += 1;
        return;
      }
      waiting.push(text);
      timer ??= setTimeout(() => void flush(), SOON).unref();
    },
    flush: () => flush(),
    flushNow() {
      // An error here would keep others from what they do at the end of the program, such as ending servers.
      try {
        if (waiting.length > 0 || file.behind > 0) file.appendNow(takeAll());
        heads.saveNow(head());
      } catch (error) {
        tellBroken(error);
      }
    },
    async close() {
      await flush(true);
      if (timer !== null) clearTimeout(timer);
      await file.close();
      await heads.close();
    },
  };
}

function describeLoss(rows: number): string {
  if (rows === 0) return "no row is missing";
  return rows === 1 ? "1 row is missing" : `${rows} rows are missing`;
}
