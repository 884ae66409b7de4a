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

/**
 * What a store is made of, in steps that are whole or not at all. Leases, fencing, waiting and large values are the same
 * for every back end and live in front of it.
 */
export interface BackEnd {
  /** Milliseconds between looks at what other processes did; null where there can be no others. */
  readonly pollEvery: number | null;
  /** Wakes those who wait in other processes; null where only looking helps. */
  readonly bell: Bell | null;
  /** Renews the lease of a process; gives the sessions that it still holds. */
  beat(machine: Machine): Promise<ReadonlySet<string>>;
  /** A process takes its leave: what it held is free at once. */
  leave(machineId: string): Promise<void>;
  machines(): Promise<readonly SilentMachine[]>;
  /** False where the session exists. */
  create(session: NewSession, machineId: string): Promise<boolean>;
  /** Takes the session over unless its holder lives. */
  hold(sessionId: string, machineId: string, isGone: IsGone): Promise<Taken | Busy | null>;
  release(sessionId: string, epoch: number): Promise<void>;
  /** False, and nothing stored, where the journal has another epoch or does not end at `after`. */
  append(batch: Batch): Promise<boolean>;
  endOf(sessionId: string): Promise<Taken | null>;
  read(sessionId: string, after: number, limit: number): Promise<readonly EventRow[]>;
  sessions(filter: SessionFilter): Promise<readonly StoredSession[]>;
  /** False where there is none. */
  delete(sessionId: string, isGone: IsGone): Promise<boolean | Busy>;
  prune(unchangedFor: number, isGone: IsGone, which: PruneFilter): Promise<number>;
  answer(questionId: string, answer: string, by: string): Promise<"answered" | "already_answered" | "unknown">;
  /** Questions of a session without a journal: those that it opens and closes. */
  ask(sessionId: string, changes: QuestionChanges): Promise<void>;
  questions(sessionId: string | null): Promise<readonly QuestionRow[]>;
  /** Of these, the ones that nobody waits for any more; null where a question was closed, or is not there. */
  answers(
    questionIds: readonly string[],
  ): Promise<ReadonlyMap<string, (StoredAnswer & { readonly answer: string }) | null>>;
  keyValueRows(place: KeyValuesPlace, key: string | null): Promise<readonly KeyValueRow[]>;
  /** Null as text takes the value away; false where another version is there. */
  put(place: KeyValuesPlace, row: { key: string; text: string | null; version: number | null }): Promise<boolean>;
  /** Adds a message to a feed, whose numbers only grow; null where `after` is given and is not the last. */
  post(feed: string, body: string, after: number | null): Promise<number | null>;
  /** What came behind these numbers, by feed; each feed in order. */
  messages(wanted: ReadonlyMap<string, number>): Promise<readonly MessageRow[]>;
  /** Takes away what nobody changed for this many milliseconds. */
  expire(what: Expired, unchangedFor: number): Promise<void>;
  keep(sessionId: string, parts: ReadonlyMap<string, string>): Promise<void>;
  parts(hashes: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Ignored where the journal has another epoch. */
  saveSnapshot(sessionId: string, epoch: number, snapshot: StoredSnapshot): Promise<void>;
  loadSnapshot(sessionId: string): Promise<StoredSnapshot | null>;
  close(): Promise<void>;
}

export interface Bell {
  ring(ids: readonly string[]): void;
  /** Null: anything may have happened. */
  listen(heard: (ids: readonly string[] | null) => void): void;
}

export interface Machine {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** Where its process number means something. */
  readonly place: string;
  readonly pid: number;
}

export interface SilentMachine extends Machine {
  /** Milliseconds since its last beat or its leave, by the store's clock. */
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
  /** Keys of its data that are kept apart, with their hashes, as JSON; null where there are none. */
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

/** Milliseconds that a part which nobody uses is spared, because somebody may be about to use it. */
export const SPARED = 3_600_000;
