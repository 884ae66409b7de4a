import { setTimeout } from "node:timers/promises";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { ChangeSql, RunSql, SqlDriver } from "../sql/sql-driver.ts";
import { type OpenSqlite, type SqliteConnection, SqliteFailure } from "./sqlite-engine.ts";

/** Milliseconds that SQLite may block the thread while another process writes. */
const BLOCKING = 50;
/** Milliseconds that a write tries again, without blocking, before the store counts as away. */
const PATIENCE = 10_000;
const POLL_EVERY = 250;
/** Transactions that are made one. */
const AT_ONCE = 64;

const [BUSY, LOCKED] = [5, 6];
/** Primary result codes that may pass: no memory, read-only, interrupted, i/o, full, cannot open, protocol. */
const PASSING = new Set([BUSY, LOCKED, 7, 8, 9, 10, 13, 14, 15]);
const DAMAGED = new Set([11, 26]);

interface Job {
  readonly work: (run: RunSql, change: ChangeSql) => Promise<unknown>;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** What an event that was acknowledged outlives: a process that is killed, or also a machine that loses its power. */
export type Outlives = "kill" | "power-loss";

/** One file, with a connection that writes and one that reads what was committed. */
export function createSqliteDriver(open: OpenSqlite, path: string, outlives: Outlives): SqlDriver {
  const [writer, reader] = [connect(open, path, outlives), connect(open, path, outlives)];
  const queue: Job[] = [];
  let pumping: Promise<void> | null = null;
  let closed = false;
  const run: RunSql = async (sql, values = []) => writer.all(sql, values);
  const change: ChangeSql = async (sql, values = []) => writer.change(sql, values);

  /** Several at once share a commit. Where one of them fails, each is done again by itself. */
  const perform = async (jobs: readonly Job[]): Promise<void> => {
    try {
      await patiently(() => writer.change("BEGIN IMMEDIATE", []));
      const results: unknown[] = [];
      for (const { work } of jobs) results.push(await work(run, change));
      writer.change("COMMIT", []);
      for (const [at, { resolve }] of jobs.entries()) resolve(results[at] as never); // Each gets what its own work gave.
    } catch (error) {
      rollBack(writer);
      if (jobs.length === 1) jobs[0]?.reject(toTold(error, path));
      else for (const job of jobs) await perform([job]);
    }
  };
  const pump = async (): Promise<void> => {
    while (queue.length > 0) {
      // What else happens in this tick shares the commit, and timers get their turn however much is written.
      await new Promise((resolve) => void setImmediate(resolve));
      await perform(queue.splice(0, AT_ONCE));
    }
    pumping = null;
  };
  const requireOpen = (): void => {
    if (closed) throw new ToolcribError("store.unavailable", "the store is closed");
  };
  return {
    now: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
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
        throw toTold(error, path);
      }
    },
    transaction: (work) =>
      new Promise((resolve, reject) => {
        requireOpen();
        queue.push({ work, resolve, reject });
        pumping ??= pump();
      }),
    async close() {
      if (closed) return;
      closed = true;
      await pumping;
      tidy(writer);
      for (const connection of [reader, writer]) connection.close();
    },
  };
}

/** With NORMAL, whatever happens to the process, all that it committed is there; the disk is waited for only now and then. */
function connect(open: OpenSqlite, path: string, outlives: Outlives): SqliteConnection {
  const connection = open(path);
  connection.all(`PRAGMA busy_timeout = ${BLOCKING}`, []);
  connection.exec(`PRAGMA synchronous = ${outlives === "kill" ? "NORMAL" : "FULL"}`);
  return connection;
}

/** Tries again while another process writes, and lets this one go on meanwhile. */
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

/** Moves the log into the file, which is whole without it then; whoever opens it next does so otherwise. */
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
  return new ToolcribError("store.unavailable", `the store at ${path} cannot be used now: ${error.message}`);
}
