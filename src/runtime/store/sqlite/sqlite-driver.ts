import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { SqlDriver } from "../sql/sql-driver.ts";
import { createAppendAlone } from "./append-alone.ts";
import type { OpenSqlite, SqliteConnection } from "./sqlite-engine.ts";
import { isDamaged, patiently, toTold } from "./sqlite-failures.ts";
import { createWriteQueue } from "./write-queue.ts";

/** Milliseconds that SQLite may block the thread while another process writes. */
const BLOCKING = 50;
const POLL_EVERY = 250;
/** Pages of the log from which a commit moves them into the file, even if somebody waits for it. */
const LONGEST_LOG = 8_000;

const NOW = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

/** A generated column would cost every event a change of each of its indexes, even within a span. */
const ADD_CHANGED_SPAN = [
  "ALTER TABLE journal ADD COLUMN changed_span BIGINT NOT NULL DEFAULT 0",
  "UPDATE journal SET changed_span = changed / 10000",
  ...[
    ["journal_added", "INSERT"],
    ["journal_moved", "UPDATE OF changed"],
  ].map(
    ([name, change]) => `CREATE TRIGGER ${name} AFTER ${change} ON journal
      WHEN NEW.changed_span <> NEW.changed / 10000
      BEGIN UPDATE journal SET changed_span = NEW.changed / 10000 WHERE id = NEW.id; END`,
  ),
];

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
  let closed = false;
  const requireOpen = (): void => {
    if (closed) throw new ToolcribError("store.unavailable", "the store is closed");
  };
  const appendAlone = createAppendAlone(writer, NOW);
  const writes = createWriteQueue(writer, requireOpen, toReported);
  return {
    place: path,
    now: NOW,
    addChangedSpan: ADD_CHANGED_SPAN,
    bytewise: "",
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
    transaction: (work) => writes.add(work, null),
    changeAtOnce: (sql, values) =>
      writes.add(
        (_, change) => change(sql, values),
        () => writer.change(sql, values),
      ),
    appendAtOnce: (batch, work) => writes.add(work, batch.rows.length === 1 ? () => appendAlone(batch) : null),
    async close() {
      if (closed) return;
      closed = true;
      await writes.close();
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

/** Moves the log into the file, which is then complete by itself; otherwise the next process that opens it does so. */
function tidy(connection: SqliteConnection): void {
  try {
    connection.all("PRAGMA wal_checkpoint(TRUNCATE)", []);
  } catch {
    // Somebody else still reads the log.
  }
}
