import type {
  Expired,
  KeyValuesPlace,
  NewSession,
  PruneFilter,
  QuestionChanges,
  SessionFilter,
  StoredAnswer,
  StoredQuestion,
  StoredSession,
  StoredSnapshot,
} from "./store.ts";
import type { StoredLog } from "./stored-log.ts";

/**
 * The steps that a store consists of, each all or nothing. Leases, fencing, waiting and large values are the same for
 * every back end, and are implemented on top of it.
 */
export interface BackEnd {
  /** Milliseconds between checks for what other processes did; null if there can be no others. */
  readonly pollEvery: number | null;
  /** Wakes waiters in other processes; null if they can only poll. */
  readonly bell: Bell | null;
  /** Renews the lease of a process; returns the sessions that it still holds. */
  beat(machine: Machine): Promise<ReadonlySet<string>>;
  /** A process leaves: the sessions that it held are free at once. */
  leave(machineId: string): Promise<void>;
  machines(): Promise<readonly SilentMachine[]>;
  /** False if the session exists. */
  create(session: NewSession, machineId: string): Promise<boolean>;
  /** Takes the session over unless its holder is alive. */
  hold(sessionId: string, machineId: string, isGone: IsGone): Promise<Taken | Busy | null>;
  release(sessionId: string, epoch: number): Promise<void>;
  /** False, and nothing stored, if the journal has another epoch or does not end at `after`. */
  append(batch: Batch): Promise<boolean>;
  endOf(sessionId: string): Promise<Taken | null>;
  read(sessionId: string, after: number, limit: number): Promise<readonly EventRow[]>;
  sessions(filter: SessionFilter): Promise<readonly StoredSession[]>;
  /** False if there is none. */
  delete(sessionId: string, isGone: IsGone): Promise<boolean | Busy>;
  prune(unchangedFor: number, isGone: IsGone, which: PruneFilter): Promise<number>;
  answer(questionId: string, answer: string, by: string): Promise<"answered" | "already_answered" | "unknown">;
  /** Questions that a session without a journal opens and closes. */
  ask(sessionId: string, changes: QuestionChanges): Promise<void>;
  questions(sessionId: string | null): Promise<readonly QuestionRow[]>;
  /** The answers to those of these questions that are settled; null if a question was closed or does not exist. */
  answers(
    questionIds: readonly string[],
  ): Promise<ReadonlyMap<string, (StoredAnswer & { readonly answer: string }) | null>>;
  keyValueRows(place: KeyValuesPlace, key: string | null): Promise<readonly KeyValueRow[]>;
  /** A null text deletes the value; false if there is another version. */
  put(place: KeyValuesPlace, row: { key: string; text: string | null; version: number | null }): Promise<boolean>;
  /** Adds a message to a feed, whose numbers only grow; null if `after` is given and is not the last number. */
  post(feed: string, body: string, after: number | null): Promise<number | null>;
  /** The messages after these numbers, by feed; each feed in order. */
  messages(wanted: ReadonlyMap<string, number>): Promise<readonly MessageRow[]>;
  /** Deletes what has not changed for this many milliseconds. */
  expire(what: Expired, unchangedFor: number): Promise<void>;
  keep(sessionId: string, parts: ReadonlyMap<string, string>): Promise<void>;
  parts(hashes: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Ignored if the journal has another epoch. */
  saveSnapshot(sessionId: string, epoch: number, snapshot: StoredSnapshot): Promise<void>;
  loadSnapshot(sessionId: string): Promise<StoredSnapshot | null>;
  readonly log: StoredLog;
  close(): Promise<void>;
}

export interface Bell {
  ring(ids: readonly string[]): void;
  /** Null: anything may have happened. */
  listen(listener: (ids: readonly string[] | null) => void): void;
}

export interface Machine {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** The machine on which its process id is valid. */
  readonly place: string;
  readonly pid: number;
}

export interface SilentMachine extends Machine {
  /** Milliseconds since its last heartbeat or since it left, by the store's clock. */
  readonly silent: number;
  readonly hasLeft: boolean;
}

export type IsGone = (machine: SilentMachine) => boolean;

export interface Taken {
  readonly epoch: number;
  readonly seq: number;
  readonly last: string | null;
}

export interface Busy {
  readonly busy: SilentMachine;
}

export interface Batch extends QuestionChanges {
  readonly sessionId: string;
  readonly epoch: number;
  /** The number of the event before the first of these. */
  readonly after: number;
  readonly rows: readonly EventRow[];
}

export interface EventRow {
  readonly seq: number;
  readonly id: string;
  readonly type: string;
  readonly at: number;
  /** The event as JSON. */
  readonly body: string;
  /** Keys of its data that are stored separately, with their hashes, as JSON; null if there are none. */
  readonly apart: string | null;
}

export interface QuestionRow extends Omit<StoredQuestion, "asked"> {
  readonly asked: string;
}

export interface KeyValueRow {
  readonly key: string;
  readonly text: string;
  readonly version: number;
}

export interface MessageRow {
  readonly feed: string;
  readonly seq: number;
  readonly body: string;
}
