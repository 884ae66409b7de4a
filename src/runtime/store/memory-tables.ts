import type { EventRow, KeyValueRow, Machine, MessageRow, QuestionRow } from "./back-end.ts";
import type { NewSession, StoredAnswer, StoredSnapshot } from "./store.ts";
import type { StoredLogBody, StoredLogRow } from "./stored-log.ts";

export interface MemorySession {
  readonly about: NewSession;
  readonly created: number;
  changed: number;
  epoch: number;
  machine: string | null;
  readonly events: EventRow[];
  /** Hashes of the parts that it uses. */
  readonly uses: Set<string>;
  snapshot: StoredSnapshot | null;
}

interface MemoryQuestion {
  readonly row: QuestionRow;
  /** Null: closed; absent: open. */
  answer?: (StoredAnswer & { readonly answer: string }) | null;
}

/** What a scope's log has, by run and number. */
export interface MemoryLog {
  readonly rows: Map<string, StoredLogRow>;
  readonly bodies: Map<string, StoredLogBody>;
}

/** What several stores of one process share; lost with the process. */
export interface MemoryTables {
  readonly sessions: Map<string, MemorySession>;
  readonly questions: Map<string, MemoryQuestion>;
  readonly keyValues: Map<string, Map<string, KeyValueRow & { readonly changed: number }>>;
  readonly messages: (MessageRow & { readonly at: number })[];
  readonly parts: Map<string, string>;
  readonly machines: Map<string, { readonly machine: Machine; readonly seen: number; readonly hasLeft: boolean }>;
  /** By scope. */
  readonly logs: Map<string, MemoryLog>;
  readonly listeners: Set<(ids: readonly string[] | null) => void>;
}

export function createMemoryTables(): MemoryTables {
  return {
    sessions: new Map(),
    questions: new Map(),
    keyValues: new Map(),
    messages: [],
    parts: new Map(),
    machines: new Map(),
    logs: new Map(),
    listeners: new Set(),
  };
}
