import type { Notice } from "../../core/codes/reason.ts";
import type { JournalEnd, StoredEvent } from "../../core/events/envelope.ts";
import type { QuestionKind } from "../../core/events/journal-state.ts";
import type { StoredLog } from "./stored-log.ts";

/** Where sessions outlive their process: journals, questions, key-value entries, and parts stored by their hash. */
export interface Store {
  /** The id of this process in the store. */
  readonly machine: string;
  /** Notices since it was opened, such as that a file could not be read and was put aside. */
  readonly notices?: readonly Notice[];
  /** Opens a new journal, held by this process. */
  create(session: NewSession): Promise<Journal>;
  /**
   * Takes over a session's journal that nobody holds. Refused while a living process holds it, unless `byForce`: then
   * that process's session stops, and nothing that it still writes counts.
   */
  hold(sessionId: string, byForce?: boolean): Promise<Journal>;
  /** Events in order, of any session, held or not. */
  read(sessionId: string, range?: EventRange): Promise<readonly StoredEvent[]>;
  /** Newest first. */
  sessions(filter?: SessionFilter): Promise<readonly StoredSession[]>;
  /** Deletes a session; refused while a process holds it. False if there is none. */
  delete(sessionId: string): Promise<boolean>;
  /**
   * Deletes sessions that nobody holds, that have not changed for this many milliseconds, and that have no open
   * question; returns how many.
   */
  prune(unchangedFor: number, which?: PruneFilter): Promise<number>;
  /** The first answer counts. */
  answer(questionId: string, answer: unknown, by: string): Promise<"answered" | "already_answered" | "unknown">;
  /** Opens and closes questions of a session that has no journal. An existing question stays as it is. */
  ask(sessionId: string, changes: QuestionChanges): Promise<void>;
  /** Open questions, oldest first. */
  questions(filter?: { readonly sessionId?: string }): Promise<readonly StoredQuestion[]>;
  /** Waits until somebody answers, in any process; null if the question is closed. */
  answerTo(questionId: string, signal: AbortSignal): Promise<StoredAnswer | null>;
  keyValues(place: KeyValuesPlace): KeyValues;
  /** Adds a message to a feed; returns its number, or null if `after` is given and is not the last number. */
  post(feed: string, message: unknown, after?: number): Promise<number | null>;
  /** The messages of a feed after that number, in order. */
  messages(feed: string, after: number): Promise<readonly FeedMessage[]>;
  /** Calls back with every message after that number, in order, from any process; returns how to unsubscribe. */
  follow(feed: string, after: number, listener: (message: FeedMessage) => void): () => void;
  /** Deletes what has not changed for this many milliseconds. */
  expire(what: Expired, unchangedFor: number): Promise<void>;
  /** The values stored under these hashes; missing ones are left out. */
  parts(hashes: Iterable<string>): Promise<ReadonlyMap<string, string>>;
  readonly log: StoredLog;
  /** Registers this process as a user of the store, until it is closed. */
  join(): void;
  /** Processes that currently use the store. */
  machines(): Promise<readonly StoreMachine[]>;
  /** Milliseconds since the last heartbeat of a process, or since it left; null if it is not remembered. */
  silence(machineId: string): Promise<number | null>;
  close(): Promise<void>;
}

export interface NewSession {
  readonly id: string;
  /** The person that it belongs to; "" if unknown. */
  readonly person: string;
  /** The project, by the path of its workspace; "" if there is none. */
  readonly project: string;
}

export interface StoredSession extends NewSession {
  /** Milliseconds since 1970, by the store's clock. */
  readonly created: number;
  readonly changed: number;
  /** How many events it has. */
  readonly events: number;
  /** The process that holds it, or held it last without releasing it. */
  readonly machine: string | null;
}

export interface SessionFilter {
  readonly id?: string;
  /** How its id begins. */
  readonly idPrefix?: string;
  readonly person?: string;
  readonly project?: string;
  readonly limit?: number;
}

export interface PruneFilter {
  readonly project?: string;
  /** At most so many, the oldest first. */
  readonly limit?: number;
}

interface EventRange {
  /** Only events with a higher number. */
  readonly after?: number;
  readonly limit?: number;
}

/** The only writer of a session's events, until somebody else takes the session over. */
export interface Journal {
  readonly sessionId: string;
  /** Grows with each holder; writes of an earlier holder are refused. */
  readonly epoch: number;
  readonly end: JournalEnd;
  /** Aborted as soon as somebody else is known to hold the journal. The session must stop. */
  readonly fenced: AbortSignal;
  /**
   * Whether something that must not run twice may be started now. Check this after the event that announces it was
   * appended: a process that could not renew its lease for long starts nothing, because another one may have taken
   * over.
   */
  mayStart(): boolean;
  /**
   * Stores events that follow the last one, with the questions that they open and close; all or none. If it is unknown
   * whether an earlier try was stored, the same events can be passed again, followed by more.
   */
  append(events: readonly StoredEvent[], questions?: QuestionChanges): Promise<void>;
  /** Stores values by their hash, for as long as the session exists. */
  keep(parts: ReadonlyMap<string, string>): Promise<void>;
  saveSnapshot(snapshot: StoredSnapshot): Promise<void>;
  loadSnapshot(): Promise<StoredSnapshot | null>;
  /** Releases the journal, so that anybody can take it at once. */
  release(): Promise<void>;
}

export interface QuestionChanges {
  readonly asked?: readonly NewQuestion[];
  /** Ids of questions that no longer need an answer. */
  readonly closed?: readonly string[];
}

export interface StoredSnapshot {
  readonly seq: number;
  readonly text: string;
}

export interface NewQuestion {
  readonly id: string;
  readonly kind: QuestionKind;
  /** The details for the person who answers. */
  readonly asked: unknown;
}

export interface StoredQuestion extends NewQuestion {
  readonly sessionId: string;
  readonly created: number;
}

export interface StoredAnswer {
  readonly answer: unknown;
  readonly by: string;
}

export interface KeyValuesPlace {
  readonly name: string;
  readonly person: string;
  readonly project: string;
}

/** A small key-value map of one person in one project. */
export interface KeyValues {
  get(key: string): Promise<unknown>;
  entries(): Promise<ReadonlyMap<string, unknown>>;
  /**
   * Stores what `change` returns for the current value; `undefined` means no value, in both directions. May be called
   * again.
   */
  change(key: string, change: (value: unknown) => unknown): Promise<void>;
}

/** What expires: messages, the key-value entries of a name, open questions of a session. */
export type Expired =
  | { readonly kind: "messages" }
  | { readonly kind: "key-values"; readonly name: string }
  | { readonly kind: "questions"; readonly sessionId: string };

/** A message from one process to others. */
export interface FeedMessage {
  /** Grows with each message of a feed, not always by one. */
  readonly seq: number;
  readonly message: unknown;
}

export interface StoreMachine {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly pid: number;
  /** Milliseconds since its last heartbeat. */
  readonly silent: number;
}
