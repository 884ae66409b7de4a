import { setImmediate as nextTurn } from "node:timers/promises";
import { oneAtATime } from "../../system/files/one-at-a-time.ts";
import { sliceAt } from "../../system/time/slices.ts";
import { type AuditFile, type AuditHandle, openAuditFile, rotate, whereIs } from "./audit-file.ts";
import { type Head, type HeadFile, openHead } from "./audit-head.ts";

/** Writes rows in the order in which they are added, many at a time. */
export interface AuditWriter {
  /** The row's text is computed when it is written: making many rows together is cheaper than one by one. */
  add(text: () => string): void;
  flush(): Promise<void>;
  /** The last write failed; it is retried. */
  readonly isBroken: boolean;
  /** Synchronously, while the process ends. */
  flushNow(): void;
  close(): Promise<void>;
}

/** Why a file was opened: the program began, the previous one was full, or it was moved away. */
type Opening = "first" | "full" | "taken";

export interface AuditWriterOptions {
  readonly path: string;
  readonly onError: (text: string, error: unknown) => void;
  /** What happens to calls whose rows cannot be written, for people. */
  readonly consequence: string;
  /** Rows can be written again; the text says how many were lost. */
  readonly onRecovered: (text: string) => void;
  /** The last row that was made. */
  readonly head: () => Head;
  /** A row was dropped. */
  readonly onLost: () => void;
  /** The first text of a file that was just opened. */
  readonly onOpened: (file: Pick<AuditFile, "last" | "torn">, why: Opening) => string;
  /** What rows refer to: written before them. */
  readonly beside?: Beside | null;
  /** Rows are in the file now. */
  readonly onWritten?: () => void;
  /** Closing does not wait for the disk. */
  readonly isHurried?: boolean;
  readonly fileBytes?: number;
  readonly openFile?: AuditHandle;
}

interface Beside {
  /** Something of it could not be written yet. */
  readonly isBehind: boolean;
  flush(): Promise<void>;
  flushNow(): void;
}

/** Which part of all rows that wait is made in one slice, however long it takes. */
const PART = 8;
const FILE_BYTES = 64 * 1024 * 1024;
const SOON = 50;
/** Milliseconds between two checks of the file's path, and until a failed write is retried. */
const NOW_AND_THEN = 1_000;
/** Rows beyond this number that cannot be written are dropped; the numbers of the rest show that some are missing. */
const MOST_WAITING = 20_000;

export async function createAuditWriter(options: AuditWriterOptions): Promise<AuditWriter> {
  return new FileWriter(options, await openAuditFile(options.path, options.openFile));
}

class FileWriter implements AuditWriter {
  readonly #options: AuditWriterOptions;
  readonly #heads: HeadFile;
  #file: AuditFile;
  #waiting: (() => string)[];
  /** The text of rows that were made and not handed to the file yet. */
  #made = "";
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();
  /** The last row that was written, if its head was not. */
  #unsaved: Head | null = null;
  #lookedAt = performance.now();
  #isBroken = false;
  #hasBegun = false;
  /** Rows that did not fit since the last that did. */
  #refused = 0;
  /** Rows that are missing since everything was last well. */
  #lost = 0;

  constructor(options: AuditWriterOptions, file: AuditFile) {
    this.#options = options;
    this.#file = file;
    this.#heads = openHead(options.path);
    const first = options.onOpened(file, "first");
    this.#waiting = [() => first];
  }

  get isBroken(): boolean {
    return this.#isBroken;
  }

  add(text: () => string): void {
    if (this.#waiting.length >= MOST_WAITING) {
      this.#refused += 1;
      return;
    }
    this.#waiting.push(text);
    this.#timer ??= setTimeout(() => void this.flush(), SOON).unref();
  }

  flush(isLast = false): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#writing = this.#writing.then(() => this.#write(isLast));
    return this.#writing;
  }

  flushNow(): void {
    // An error here would keep others from their work at the end of the program, such as ending servers.
    try {
      this.#make(this.#waiting.length, Number.POSITIVE_INFINITY);
      this.#loseRefused(this.#refused);
      if (this.#made !== "" || this.#file.behind > 0) this.#file.appendNow(this.#takeMade());
      this.#options.beside?.flushNow();
      this.#heads.saveNow(this.#options.head());
    } catch (error) {
      this.#reportBroken(error);
    }
  }

  async close(): Promise<void> {
    await this.flush(true);
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#file.close();
    await this.#heads.close();
  }

  async #write(isLast: boolean): Promise<void> {
    const { path, head, beside, onRecovered, isHurried = false, fileBytes = FILE_BYTES } = this.#options;
    const isAllWritten = this.#waiting.length === 0 && this.#file.behind === 0 && this.#unsaved === null;
    if (isAllWritten && beside?.isBehind !== true) return;
    try {
      // No row is made before all earlier ones are written; otherwise the buffer would be unbounded.
      if (this.#file.behind > 0) await this.#file.append("");
      await this.#look();
      await this.#makeAll();
      const at = head();
      // Rows must not be lost with it, so they are written all the same.
      const failure = await beside?.flush().then(() => null, toFailure);
      await this.#file.append(this.#takeMade());
      this.#unsaved = at;
      await this.#heads.save(at);
      this.#unsaved = null;
      this.#options.onWritten?.();
      if (failure) throw failure.failed;
      if (this.#file.size > fileBytes && !isLast) await this.#next();
      if (isLast && !isHurried) await this.#file.sync();
      if (this.#isBroken) onRecovered(`the audit log ${path} is written again; ${describeLoss(this.#lost)}`);
      this.#isBroken = false;
      this.#lost = 0;
    } catch (error) {
      this.#reportBroken(error);
      this.#timer ??= setTimeout(() => void this.flush(), NOW_AND_THEN).unref();
    }
  }

  /** All that wait now, a few at a time: making them all at once would hold up calls for as long. */
  async #makeAll(): Promise<void> {
    const refused = this.#refused;
    for (let left = this.#waiting.length; left > 0 && this.#waiting.length > 0; ) {
      left -= this.#make(left, sliceAt(performance.now()));
      if (left > 0) await nextTurn();
    }
    // They would have come after these, unless the end of the program has counted them meanwhile.
    this.#loseRefused(Math.min(refused, this.#refused));
  }

  /** Returns how many. */
  #make(most: number, time: number): number {
    this.#hasBegun = true;
    const until = performance.now() + time;
    const least = Math.ceil(this.#waiting.length / PART);
    let many = 0;
    while (many < most && (many < least || performance.now() < until)) {
      const row = this.#waiting[many];
      if (row === undefined) break;
      this.#made += this.#toText(row);
      many += 1;
    }
    this.#waiting.splice(0, many);
    return many;
  }

  #takeMade(): string {
    const text = this.#made;
    this.#made = "";
    return text;
  }

  #loseRefused(many: number): void {
    for (let left = many; left > 0; left -= 1) this.#lose();
    this.#refused -= many;
  }

  /** A row that cannot be serialised affects only itself; the numbers of the others show that it is missing. */
  #toText(row: () => string): string {
    try {
      return row();
    } catch (error) {
      this.#lose();
      this.#options.onError("a row of the audit log could not be made", error);
      return "";
    }
  }

  #lose(): void {
    this.#lost += 1;
    this.#options.onLost();
  }

  #reportBroken(error: unknown): void {
    const { path, onError, consequence } = this.#options;
    if (!this.#isBroken) onError(`the audit log ${path} could not be written; ${consequence}`, error);
    this.#isBroken = true;
  }

  /** Another writer may have put the file aside, and anybody may have moved or deleted it. */
  async #look(): Promise<void> {
    if (performance.now() - this.#lookedAt < NOW_AND_THEN) return;
    this.#lookedAt = performance.now();
    const place = await whereIs(this.#file);
    if (place !== "here") await this.#reopen(place === "gone" ? "taken" : "full");
  }

  async #next(): Promise<void> {
    const { path } = this.#options;
    // If two find it full, the second would put the next one aside, perhaps over the first.
    const place = await oneAtATime(path, async () => {
      const found = await whereIs(this.#file);
      if (found === "here") await rotate(path);
      return found;
    });
    await this.#reopen(place === "gone" ? "taken" : "full");
  }

  async #reopen(why: Opening): Promise<void> {
    const { path, openFile, onOpened } = this.#options;
    const before = this.#file;
    this.#file = await openAuditFile(path, openFile);
    await before.close();
    // Its own first row was made before all others, even if it still waits.
    this.#waiting.splice(this.#hasBegun ? 0 : 1, 0, () => onOpened(this.#file, why));
  }
}

function toFailure(error: unknown): { readonly failed: unknown } {
  return { failed: error };
}

function describeLoss(rows: number): string {
  if (rows === 0) return "no row is missing";
  return rows === 1 ? "1 row is missing" : `${rows} rows are missing`;
}
