import type { Batch, Bell } from "../back-end.ts";

export type SqlValue = string | number | boolean | null;
export type SqlRow = Readonly<Record<string, unknown>>;

/** Runs one statement with `?` for each value; gives the rows that it returns. */
export type RunSql = (sql: string, values?: readonly SqlValue[]) => Promise<readonly SqlRow[]>;

/** Runs one statement that returns no rows; gives how many it changed. Cheaper than to have them returned. */
export type ChangeSql = (sql: string, values?: readonly SqlValue[]) => Promise<number>;

/** Statements that are one transaction. They may be run again, and await nothing but each other. */
export type SqlWork<T> = (run: RunSql, change: ChangeSql) => Promise<T>;

/** One database, with what differs between them. Failures that pass come as `store.unavailable`. */
export interface SqlDriver {
  /** The database for people, without a password. */
  readonly place: string;
  /** Milliseconds since 1970 by the database's clock, as an expression. */
  readonly now: string;
  /** Behind a SELECT whose row is changed next. */
  readonly forUpdate: string;
  /** Before anything: keeps other programs from moving the schema at the same time. */
  readonly lockSchema: readonly string[];
  /** Before parts are deleted: nobody may begin to use one meanwhile. */
  readonly lockUses: readonly string[];
  /** Before a message is added, with the name of its feed: those who add to the same one take turns. */
  readonly lockFeed: string | null;
  readonly pollEvery: number;
  readonly bell: Bell | null;
  /** Reads what was committed. */
  readonly read: RunSql;
  /** All of the work or nothing of it. */
  transaction<T>(work: SqlWork<T>): Promise<T>;
  /** Appends events that open and close no question in one step where it can, else by the work, which does the same. */
  appendAtOnce(batch: Batch, work: SqlWork<boolean>): Promise<boolean>;
  close(): Promise<void>;
}

export function placesFor(values: readonly unknown[]): string {
  return values.map(() => "?").join(", ");
}

/** Rows that one statement takes: many share its price, and few sizes make few statements to keep prepared. */
const AT_ONCE = 16;

/** The same work for many, as few statements. */
export async function inPieces<T>(all: readonly T[], work: (piece: readonly T[]) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < all.length; from += AT_ONCE) await work(all.slice(from, from + AT_ONCE));
}

/** Places for so many rows of the same kind. */
export function rowsOf(row: string, rows: readonly unknown[]): string {
  return rows.map(() => row).join(", ");
}
