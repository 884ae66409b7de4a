import type { ChangeSql, RunSql, SqlWork } from "../sql/sql-driver.ts";
import type { SqliteConnection } from "./sqlite-engine.ts";
import { patiently } from "./sqlite-failures.ts";

/** Transactions that are combined into one. */
const AT_ONCE = 64;
/** Commits after which the log is moved as soon as nothing was written for so many milliseconds. */
const [LONG_LOG, REST] = [100, 100];

interface Job {
  readonly work: SqlWork<unknown>;
  /** The same in one statement, if nothing else shares its transaction. */
  readonly alone: (() => unknown) | null;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

interface WriteQueue {
  /** Its result, once it is committed. */
  add<T>(work: SqlWork<T>, alone: Job["alone"]): Promise<T>;
  /** Waits for what was added. */
  close(): Promise<void>;
}

/** All that writes to a file, one commit after the other. */
export function createWriteQueue(
  writer: SqliteConnection,
  requireOpen: () => void,
  toReported: (error: unknown) => unknown,
): WriteQueue {
  const jobs: Job[] = [];
  let pumping: Promise<void> | null = null;
  const log = createLogKeeper(writer);
  const run: RunSql = async (sql, values = []) => writer.all(sql, values);
  const change: ChangeSql = async (sql, values = []) => writer.change(sql, values);

  /** Several jobs share a commit. If one fails, each is repeated by itself. */
  const perform = async (shared: readonly Job[]): Promise<void> => {
    const [first] = shared;
    if (first?.alone && shared.length === 1) return performAlone(first, first.alone);
    try {
      await patiently(() => writer.change("BEGIN IMMEDIATE", []));
      const results: unknown[] = [];
      for (const { work } of shared) results.push(await work(run, change));
      writer.change("COMMIT", []);
      for (const [at, { resolve }] of shared.entries()) resolve(results[at] as never); // Each gets the result of its own work.
    } catch (error) {
      rollBack(writer);
      if (shared.length === 1) first?.reject(toReported(error));
      else for (const job of shared) await perform([job]);
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
    while (jobs.length > 0) {
      // Everything else in this tick shares the commit, and timers get their turn however much is written.
      await new Promise((resolve) => void setImmediate(resolve));
      await perform(jobs.splice(0, AT_ONCE));
      log.grew();
    }
    pumping = null;
  };
  return {
    add: (work, alone) =>
      new Promise((resolve, reject) => {
        requireOpen();
        jobs.push({ work, alone, resolve, reject });
        pumping ??= pump();
      }),
    async close() {
      log.stop();
      await pumping;
    },
  };
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
      else if (commits >= LONG_LOG) timer = setTimeout(move, REST).unref();
    },
    stop() {
      if (timer !== null) clearTimeout(timer);
    },
  };
}

function rollBack(connection: SqliteConnection): void {
  try {
    connection.exec("ROLLBACK");
  } catch {
    // SQLite has done so itself.
  }
}
