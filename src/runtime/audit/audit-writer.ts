import { oneAtATime } from "../../system/files/one-at-a-time.ts";
import { type AuditFile, type AuditHandle, openAuditFile, rotate, whereIs } from "./audit-file.ts";
import { type Head, type HeadFile, openHead } from "./audit-head.ts";

/** Writes rows in the order in which they are added, many at a time. */
export interface AuditWriter {
  /** Takes the row's text when it is written: many rows are cheaper to make together than one by one. */
  add(text: () => string): void;
  flush(): Promise<void>;
  /** The last write failed; it is tried again. */
  readonly isBroken: boolean;
  /** Without waiting, while the process ends. */
  flushNow(): void;
  close(): Promise<void>;
}

/** Why a file was opened: the program began, the one before it was full, or it was taken away. */
type Opening = "first" | "full" | "taken";

export interface AuditWriterOptions {
  readonly path: string;
  readonly onError: (text: string, error: unknown) => void;
  /** What becomes of calls whose rows cannot be written, for people. */
  readonly meanwhile: string;
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
  return new FileWriter(options, await openAuditFile(options.path, options.openFile));
}

class FileWriter implements AuditWriter {
  readonly #options: AuditWriterOptions;
  readonly #heads: HeadFile;
  #file: AuditFile;
  #waiting: (() => string)[];
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();
  /** The last row that is written, where its head is not. */
  #unsaved: Head | null = null;
  #lookedAt = performance.now();
  #isBroken = false;
  #hasBegun = false;
  /** Rows that found no place since the last that did. */
  #refused = 0;
  /** Rows that are missing since the last time that all was well. */
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
    // An error here would keep others from what they do at the end of the program, such as ending servers.
    try {
      if (this.#waiting.length > 0 || this.#file.behind > 0) this.#file.appendNow(this.#takeAll());
      this.#heads.saveNow(this.#options.head());
    } catch (error) {
      this.#tellBroken(error);
    }
  }

  async close(): Promise<void> {
    await this.flush(true);
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#file.close();
    await this.#heads.close();
  }

  async #write(isLast: boolean): Promise<void> {
    if (this.#waiting.length === 0 && this.#file.behind === 0 && this.#unsaved === null) return;
    const { path, head, onMended, fileBytes = FILE_BYTES } = this.#options;
    try {
      // No row is made before all earlier ones are written, or nothing would bound what is kept.
      if (this.#file.behind > 0) await this.#file.append("");
      await this.#look();
      const text = this.#takeAll();
      const at = head();
      await this.#file.append(text);
      this.#unsaved = at;
      await this.#heads.save(at);
      this.#unsaved = null;
      if (this.#file.size > fileBytes && !isLast) await this.#next();
      if (isLast) await this.#file.sync();
      if (this.#isBroken) onMended(`the audit log ${path} is written again; ${describeLoss(this.#lost)}`);
      this.#isBroken = false;
      this.#lost = 0;
    } catch (error) {
      this.#tellBroken(error);
      this.#timer ??= setTimeout(() => void this.flush(), NOW_AND_THEN).unref();
    }
  }

  #takeAll(): string {
    const rows = this.#waiting;
    this.#waiting = [];
    this.#hasBegun = true;
    const text = rows.map((row) => this.#toText(row)).join("");
    // They would have come behind these.
    for (; this.#refused > 0; this.#refused -= 1) this.#lose();
    return text;
  }

  /** What cannot be put into words costs its own row alone; the numbers of the others tell that it is missing. */
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

  #tellBroken(error: unknown): void {
    const { path, onError, meanwhile } = this.#options;
    if (!this.#isBroken) onError(`the audit log ${path} could not be written; ${meanwhile}`, error);
    this.#isBroken = true;
  }

  /** Whoever else writes here may have put the file aside, and anybody may have moved it or thrown it away. */
  async #look(): Promise<void> {
    if (performance.now() - this.#lookedAt < NOW_AND_THEN) return;
    this.#lookedAt = performance.now();
    const place = await whereIs(this.#file);
    if (place !== "here") await this.#reopen(place === "gone" ? "taken" : "full");
  }

  async #next(): Promise<void> {
    const { path } = this.#options;
    // Of two that find it full, the second would put the next one aside, maybe over the first.
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
    // Its own first row was made before all others, also where it still waits.
    this.#waiting.splice(this.#hasBegun ? 0 : 1, 0, () => onOpened(this.#file, why));
  }
}

function describeLoss(rows: number): string {
  if (rows === 0) return "no row is missing";
  return rows === 1 ? "1 row is missing" : `${rows} rows are missing`;
}
