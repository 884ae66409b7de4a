import { setTimeout } from "node:timers/promises";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { ChangeSql, RunSql, SqlDriver, SqlWork } from "../sql/sql-driver.ts";
import { createAppendAlone } from "./append-alone.ts";
import { type OpenSqlite, type SqliteConnection, SqliteFailure } from "./sqlite-engine.ts";

/** Milliseconds that SQLite may block the thread while another process writes. */
const BLOCKING = 50;
/** Milliseconds for which a write is retried, without blocking, before the store counts as unreachable. */
const PATIENCE = 10_000;
const POLL_EVERY = 250;
/** Transactions that are combined into one. */
const AT_ONCE = 64;
/** Pages of the log from which a commit moves them into the file, even if somebody waits for it. */
const LONGEST_LOG = 8_000;
/** Commits after which the log is moved as soon as nothing was written for so many milliseconds. */
const [LONG_LOG, REST] = [100, 100];

const NOW = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

const [BUSY, LOCKED] = [5, 6];
/** Primary result codes that may be temporary: no memory, read-only, interrupted, i/o, full, cannot open, protocol. */
const PASSING = new Set([BUSY, LOCKED, 7, 8, 9, 10, 13, 14, 15]);
const [CORRUPT, NOT_A_DATABASE] = [11, 26];
const DAMAGED = new Set([CORRUPT, NOT_A_DATABASE]);
const MEND =
  "it is damaged inside. Whoever opens it next puts it aside under another name and begins a new one: end the programs that use it, and try again; `sqlite3 FILE .recover` can often save what it holds";

/** What a person can do about it, by primary result code. */
const ADVICE: ReadonlyMap<number, string> = new Map([
  [BUSY, "another program has been writing to it all the time: end that one, or try again"],
  [8, "see who may write to that file and its folder"],
  [10, "see whether that disk is full or damaged"],
  [13, "make room on that disk"],
  [14, "see who may write to that file and its folder"],
  ...[CORRUPT, NOT_A_DATABASE].map((code) => [code, MEND] as const),
]);

interface Job {
  readonly work: SqlWork<unknown>;
  /** The same in one statement, if nothing else shares its transaction. */
  readonly alone: (() => unknown) | null;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** What an acknowledged event survives: a killed process, or also a loss of power. */
export type Outlives = "kill" | "power-loss";

/** One file, with one connection that writes and one that reads committed data. */
export function createSqliteDriver(
  open: OpenSqlite,
  path: string,
  outlives: Outlives,
  onDamage: () => void,
): SqlDriver {
  const toReported = (error: unknown): unknown => {
    if (isDamaged(error)) onDamage();
    return toTold(error, path);
  };
  const [writer, reader] = [connect(open, path, outlives), connect(open, path, outlives)];
  const queue: Job[] = [];
  let pumping: Promise<void> | null = null;
  let closed = false;
  const appendAlone = createAppendAlone(writer, NOW);
  const log = createLogKeeper(writer);
  const run: RunSql = async (sql, values = []) => writer.all(sql, values);
  const change: ChangeSql = async (sql, values = []) => writer.change(sql, values);

  /** Several jobs share a commit. If one fails, each is repeated by itself. */
  const perform = async (jobs: readonly Job[]): Promise<void> => {
    const [first] = jobs;
    if (first?.alone && jobs.length === 1) return performAlone(first, first.alone);
    try {
      await patiently(() => writer.change("BEGIN IMMEDIATE", []));
      const results: unknown[] = [];
      for (const { work } of jobs) results.push(await work(run, change));
      writer.change("COMMIT", []);
      for (const [at, { resolve }] of jobs.entries()) resolve(results[at] as never); // Each gets the result of its own work.
    } catch (error) {
      rollBack(writer);
      if (jobs.length === 1) jobs[0]?.reject(toReported(error));
      else for (const job of jobs) await perform([job]);
    }
  };
  const performAlone = async ({ resolve, reject }: Job, alone: () => unknown): Promise<void> => {
    try {
      resolve((await patiently(alone)) as never); // It gets the result of its own work.
    } catch (error) {
      reject(toReported(error));
    }
  };
  const pump = async (): Promise<void> => {
    while (queue.length > 0) {
      // Everything else in this tick shares the commit, and timers get their turn however much is written.
      await new Promise((resolve) => void setImmediate(resolve));
      await perform(queue.splice(0, AT_ONCE));
      log.grew();
    }
    pumping = null;
  };
  const enqueue = <T>(work: SqlWork<T>, alone: Job["alone"]): Promise<T> =>
    new Promise((resolve, reject) => {
      requireOpen();
      queue.push({ work, alone, resolve, reject });
      pumping ??= pump();
    });
  const requireOpen = (): void => {
    if (closed) throw new ToolcribError("store.unavailable", "the store is closed");
  };
  return {
    place: path,
    now: NOW,
    forUpdate: "",
    lockSchema: [],
    lockUses: [],
    lockFeed: null,
    pollEvery: POLL_EVERY,
    bell: null,
    async read(sql, values = []) {
      requireOpen();
      try {
        return await patiently(() => reader.all(sql, values));
      } catch (error) {
        throw toReported(error);
      }
    },
    transaction: (work) => enqueue(work, null),
    appendAtOnce: (batch, work) => enqueue(work, batch.rows.length === 1 ? () => appendAlone(batch) : null),
    async close() {
      if (closed) return;
      closed = true;
      log.stop();
      await pumping;
      tidy(writer);
      for (const connection of [reader, writer]) connection.close();
    },
  };
}

/** With NORMAL, everything committed survives the process; the disk is awaited only now and then. */
function connect(open: OpenSqlite, path: string, outlives: Outlives): SqliteConnection {
  const connection = open(path);
  connection.all(`PRAGMA busy_timeout = ${BLOCKING}`, []);
  connection.exec("PRAGMA temp_store = MEMORY");
  connection.all(`PRAGMA wal_autocheckpoint = ${LONGEST_LOG}`, []);
  connection.exec(`PRAGMA synchronous = ${outlives === "kill" ? "NORMAL" : "FULL"}`);
  return connection;
}

/** Retries while another process writes, without blocking this one. */
export async function patiently<T>(work: () => T): Promise<T> {
  const end = performance.now() + PATIENCE;
  for (;;) {
    try {
      return work();
    } catch (error) {
      const isBusy = error instanceof SqliteFailure && (error.sqlite === BUSY || error.sqlite === LOCKED);
      if (!isBusy || performance.now() > end) throw error;
    }
    await setTimeout(5 + Math.random() * 20);
  }
}

/**
 * Moving the log into the file waits for the disk repeatedly, for tens of milliseconds. SQLite would do it in the
 * middle of work, so it is done when there is none.
 */
function createLogKeeper(writer: SqliteConnection): { grew(): void; stop(): void } {
  let commits = 0;
  let timer: NodeJS.Timeout | null = null;
  const move = (): void => {
    timer = null;
    commits = 0;
    try {
      writer.all("PRAGMA wal_checkpoint(PASSIVE)", []);
    } catch {
      // Tried again after the next writes.
    }
  };
  return {
    grew() {
      commits += 1;
      if (timer !== null) timer.refresh();
      else if (commits >= LONG_LOG) timer = globalThis.setTimeout(move, REST).unref();
    },
    stop() {
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** Moves the log into the file, which is then complete by itself; otherwise the next process that opens it does so. */
function tidy(connection: SqliteConnection): void {
  try {
    connection.all("PRAGMA wal_checkpoint(TRUNCATE)", []);
  } catch {
    // Somebody else still reads the log.
  }
}

function rollBack(connection: SqliteConnection): void {
  try {
    connection.exec("ROLLBACK");
  } catch {
    // SQLite has done so itself.
  }
}

export function isDamaged(error: unknown): boolean {
  return error instanceof SqliteFailure && DAMAGED.has(error.sqlite);
}

export function toTold(error: unknown, path: string): unknown {
  if (!(error instanceof SqliteFailure)) return error;
  if (!PASSING.has(error.sqlite) && !isDamaged(error)) return error;
  const advice = ADVICE.get(error.sqlite);
  const text = `the store at ${path} cannot be used now: ${error.message}${advice === undefined ? "" : `; ${advice}`}`;
  return new ToolcribError("store.unavailable", text);
}
