import type { Batch, Bell } from "../back-end.ts";

export type SqlValue = string | number | boolean | null;
export type SqlRow = Readonly<Record<string, unknown>>;

/** Runs one statement with `?` for each value; returns its rows. */
export type RunSql = (sql: string, values?: readonly SqlValue[]) => Promise<readonly SqlRow[]>;

/** Runs one statement without rows; returns how many rows it changed. Cheaper than having them returned. */
export type ChangeSql = (sql: string, values?: readonly SqlValue[]) => Promise<number>;

/** Statements that form one transaction. They may be run again, and must await nothing but each other. */
export type SqlWork<T> = (run: RunSql, change: ChangeSql) => Promise<T>;

/** One database, with what differs between databases. Temporary failures are thrown as `store.unavailable`. */
export interface SqlDriver {
  /** The database's address for people, without a password. */
  readonly place: string;
  /** Milliseconds since 1970 by the database's clock, as an expression. */
  readonly now: string;
  /**
   * Adds the column `changed_span` to the journals: `changed` in spans of ten seconds. The database itself keeps it, so
   * that older versions write it too. It is what lists are found by: an index on `changed` would change with every event.
   */
  readonly addChangedSpan: readonly string[];
  /** Appended to a text that is compared byte by byte, as by `startsWith`. */
  readonly bytewise: string;
  /** Appended to a SELECT whose row is changed next. */
  readonly forUpdate: string;
  /** Run first: keeps other programs from migrating the schema at the same time. */
  readonly lockSchema: readonly string[];
  /** Run before parts are deleted: nobody may start to use one at the same time. */
  readonly lockUses: readonly string[];
  /** Run before a message is added, with the name of its feed: writers to the same feed take turns. */
  readonly lockFeed: string | null;
  readonly pollEvery: number;
  readonly bell: Bell | null;
  /** Reads committed data. */
  readonly read: RunSql;
  /** All of the work or none of it. */
  transaction<T>(work: SqlWork<T>): Promise<T>;
  /** One statement as a transaction of its own; returns how many rows it changed. */
  changeAtOnce(sql: string, values: readonly SqlValue[]): Promise<number>;
  /** Appends events that open and close no question in one step if possible, else by the work, which does the same. */
  appendAtOnce(batch: Batch, work: SqlWork<boolean>): Promise<boolean>;
  close(): Promise<void>;
}

export function placesFor(values: readonly unknown[]): string {
  return values.map(() => "?").join(", ");
}

/** Rows per statement: many rows share its cost, and few sizes mean few prepared statements. */
const AT_ONCE = 16;

/** Runs the work on pieces of the list, in few statements. */
export async function inPieces<T>(all: readonly T[], work: (piece: readonly T[]) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < all.length; from += AT_ONCE) await work(all.slice(from, from + AT_ONCE));
}

/** Placeholders for so many rows of the same kind. */
export function rowsOf(row: string, rows: readonly unknown[]): string {
  return rows.map(() => row).join(", ");
}
