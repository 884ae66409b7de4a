/** The log of calls of all machines, and what is stored apart from its rows; one for each scope. */
export interface StoredLog {
  /** Rows that are there already stay as they are. */
  addRows(scope: string, rows: readonly StoredLogRow[]): Promise<void>;
  /** Newest first, or one run in its own order. */
  rows(scope: string, which: LogRowFilter): Promise<readonly StoredLogRow[]>;
  /** The runs that have rows. */
  runs(scope: string): Promise<readonly string[]>;
  /** Takes the text away of older rows, whose hashes stay; returns how many had one. */
  blankRows(scope: string, which: OldLogRows & { readonly kind: string }): Promise<number>;
  addBodies(scope: string, bodies: readonly StoredLogBody[]): Promise<void>;
  /** Those of these rows; missing ones are left out. */
  bodies(scope: string, of: readonly LogRowId[]): Promise<readonly StoredLogBody[]>;
  /** Deletes older ones, of everybody or of one person; returns how many. */
  deleteBodies(scope: string, which: OldLogRows & { readonly person?: string }): Promise<number>;
}

/** A row of one machine's log. */
export interface LogRowId {
  readonly run: string;
  readonly seq: number;
}

export interface StoredLogRow extends LogRowId {
  /** Milliseconds since 1970, by the clock of the machine. */
  readonly at: number;
  readonly kind: string;
  /** The key of the person that it is about; "" for none. */
  readonly person: string;
  readonly prev: string;
  readonly hash: string;
  /** Null: its content was deleted, and only its place in the chain is left. */
  readonly line: string | null;
}

export interface StoredLogBody extends LogRowId {
  readonly at: number;
  readonly person: string;
  readonly sealed: string;
}

export type LogRowFilter =
  | { readonly run: string; readonly after: number; readonly limit: number }
  | {
      readonly limit: number;
      readonly person?: string;
      readonly since?: number;
      /** Only rows that follow this one, in the order of the answer. */
      readonly before?: LogRowId & { readonly at: number };
    };

interface OldLogRows {
  /** Milliseconds since 1970: what is from then or later stays. */
  readonly before: number;
  /** Keys of persons whose rows stay. */
  readonly except?: readonly string[];
}
