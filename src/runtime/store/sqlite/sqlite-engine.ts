import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { SqlRow, SqlValue } from "../sql/sql-driver.ts";

/** One connection to a file. All calls are synchronous and block; errors carry SQLite's code as `sqlite`. */
export interface SqliteConnection {
  all(sql: string, values: readonly SqlValue[]): readonly SqlRow[];
  /** Runs a statement without rows; returns how many rows it changed. */
  change(sql: string, values: readonly SqlValue[]): number;
  exec(sql: string): void;
  close(): void;
}

export type OpenSqlite = (path: string) => SqliteConnection;

/** An error inside SQLite, by its primary result code. */
export class SqliteFailure extends Error {
  override readonly name = "SqliteFailure";
  readonly sqlite: number;

  constructor(sqlite: number, message: string) {
    super(message);
    this.sqlite = sqlite;
  }
}

/** Node's own SQLite if this Node has it, else the package `libsql`; each loaded on first use. */
export function loadSqlite(): OpenSqlite {
  const own = loadNodeSqlite();
  if (own !== null) return (path) => guard(new own.DatabaseSync(path), (values) => values);
  const Libsql = loadLibsql();
  return (path) => guard(new Libsql(path), (values) => [values]);
}

interface Statement {
  readonly reader?: boolean;
  all(...values: readonly unknown[]): readonly SqlRow[];
  run(...values: readonly unknown[]): { readonly changes: number };
}

interface Prepared {
  readonly statement: Statement;
  /** The number of its parameters. */
  readonly count: number;
  readonly returnsRows: boolean;
}

interface Database {
  prepare(sql: string): Statement;
  exec(sql: string): unknown;
  close(): void;
}

type NodeSqlite = { readonly DatabaseSync: new (path: string) => Database };

const require = createRequire(import.meta.url);

function loadNodeSqlite(): NodeSqlite | null {
  // Node warns its users that SQLite is experimental, but they can do nothing about it.
  const warn = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return require("node:sqlite");
  } catch {
    return null;
  } finally {
    process.emitWarning = warn;
  }
}

function loadLibsql(): new (path: string) => Database {
  try {
    return requireLibsql();
  } catch {
    // Never from the working folder: that would run the project's code.
    const text =
      "this Node has no SQLite: use Node 22.13 or newer, or install the package libsql beside toolcrib (npm install libsql; with -g if toolcrib is installed with -g)";
    throw new ToolcribError("store.not-installed", text);
  }
}

/**
 * Half of its loading was a report about the process, which the package has written for one line, and Node's reader of `exports`,
 * which a folder does without.
 */
function requireLibsql(): new (path: string) => Database {
  const folder = require.resolve
    .paths(LIBSQL)
    ?.map((place) => join(place, LIBSQL))
    .find((one) => existsSync(one));
  const { report } = process;
  if (!isGlibc()) return require(folder ?? LIBSQL);
  const { getReport } = report;
  report.getReport = () => ({ header: { glibcVersionRuntime: "of this process" } });
  try {
    return require(folder ?? LIBSQL);
  } finally {
    report.getReport = getReport;
  }
}

const LIBSQL = "libsql";

/** Bytes at the start of a program in which Linux finds what loads it. */
const HEAD = 4_096;

/** Whether this process is linked to it; false where nothing says so. */
function isGlibc(): boolean {
  if (process.platform !== "linux") return false;
  try {
    const head = Buffer.alloc(HEAD);
    const file = openSync("/proc/self/exe", "r");
    readSync(file, head);
    closeSync(file);
    return head.includes("/ld-linux");
  } catch {
    return false;
  }
}

/**
 * The only way to the engine. `libsql` crashes the process on a boolean, cuts text at NUL and treats missing values as
 * NULL, so only checked lists of plain values get there.
 */
function guard(database: Database, toArguments: (values: readonly SqlValue[]) => readonly unknown[]): SqliteConnection {
  const statements = new Map<string, Prepared>();
  const prepare = (sql: string, values: readonly SqlValue[]): Prepared => {
    const known = statements.get(sql) ?? toPrepared(database.prepare(sql), sql);
    statements.set(sql, known);
    if (values.length === known.count) return known;
    throw new TypeError(`a statement with ${known.count} places got ${values.length} values: ${sql}`);
  };
  return {
    all: (sql, values) =>
      translated(() => {
        const { statement, returnsRows } = prepare(sql, values);
        const given = toArguments(values.map(toBound));
        if (returnsRows) return statement.all(...given);
        statement.run(...given);
        return [];
      }),
    change: (sql, values) =>
      translated(() => prepare(sql, values).statement.run(...toArguments(values.map(toBound))).changes),
    exec: (sql) => translated(() => void database.exec(sql)),
    close() {
      statements.clear();
      database.close();
    },
  };
}

/** Node's own engine treats every statement as one that may return rows. */
function toPrepared(statement: Statement, sql: string): Prepared {
  return { statement, count: sql.split("?").length - 1, returnsRows: statement.reader ?? true };
}

function toBound(value: SqlValue): SqlValue {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "string" && value.includes("\0")) throw new TypeError("a text for SQLite holds a NUL character");
  if (typeof value === "number" && !Number.isFinite(value)) throw new TypeError(`SQLite has no number ${value}`);
  if (value !== null && typeof value !== "string" && typeof value !== "number")
    throw new TypeError(`SQLite takes text, numbers, booleans and null here, and got ${typeof value}`);
  return value;
}

/** `libsql` has the code as `rawCode`, Node as `errcode`; the low byte is the primary one. */
function translated<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const code = "rawCode" in error ? error.rawCode : "errcode" in error ? error.errcode : null;
    if (typeof code !== "number") throw error;
    throw new SqliteFailure(code & 0xff, error.message);
  }
}
