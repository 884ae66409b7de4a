import type { Notice } from "../../core/codes/reason.ts";
import type { JournalEnd, StoredEvent } from "../../core/events/envelope.ts";
import type { QuestionKind } from "../../core/events/journal-state.ts";

/** Where sessions outlive their process: journals, questions, key-value entries, and parts stored by their hash. */
export interface Store {
  /** This process, as the store and other processes know it. */
  readonly machine: string;
  /** What somebody should know of it since it was opened, such as that a file could not be read and was put aside. */
  readonly notices?: readonly Notice[];
  /** Opens a new journal, held by this process. */
  create(session: NewSession): Promise<Journal>;
  /**
   * Takes over the journal of a session that nobody holds; refused while a living process does, unless that is to lose
   * it: then its session stops, and nothing that it still writes counts.
   */
  hold(sessionId: string, byForce?: boolean): Promise<Journal>;
  /** Events in order, of any session, held or not. */
  read(sessionId: string, range?: EventRange): Promise<readonly StoredEvent[]>;
  /** Newest first. */
  sessions(filter?: SessionFilter): Promise<readonly StoredSession[]>;
  /** All of a session; refused while a process holds it. False where there is none. */
  delete(sessionId: string): Promise<boolean>;
  /**
   * Deletes what nobody holds, nobody changed for this many milliseconds, and nobody is asked about; returns how many
   * sessions.
   */
  prune(unchangedFor: number, which?: PruneFilter): Promise<number>;
  /** The first answer counts. */
  answer(questionId: string, answer: unknown, by: string): Promise<"answered" | "already_answered" | "unknown">;
  /** Opens and closes questions of a session that has no journal. One that is there already stays as it is. */
  ask(sessionId: string, changes: QuestionChanges): Promise<void>;
  /** Those that wait for somebody, oldest first. */
  questions(filter?: { readonly sessionId?: string }): Promise<readonly StoredQuestion[]>;
  /** Waits until somebody answers, in any process, or the question is closed: then null. */
  answerTo(questionId: string, signal: AbortSignal): Promise<StoredAnswer | null>;
  keyValues(place: KeyValuesPlace): KeyValues;
  /** Adds a message to a feed; returns its number, or null where `after` is given and another one came before. */
  post(feed: string, message: unknown, after?: number): Promise<number | null>;
  /** The messages of a feed behind that number, in order. */
  messages(feed: string, after: number): Promise<readonly FeedMessage[]>;
  /** Calls back with every message behind that number, in order, from any process; returns how to stop that. */
  follow(feed: string, after: number, heard: (message: FeedMessage) => void): () => void;
  /** Takes away what nobody changed for this many milliseconds. */
  expire(what: Expired, unchangedFor: number): Promise<void>;
  /** The values kept under these hashes; one that is not there is left out. */
  parts(hashes: Iterable<string>): Promise<ReadonlyMap<string, string>>;
  /** Counts as a process that uses the store, from now until it is closed. */
  join(): void;
  /** Processes that use the store now. */
  machines(): Promise<readonly StoreMachine[]>;
  /** Milliseconds since a process was last heard of, or took its leave; null where nobody remembers it. */
  silence(machineId: string): Promise<number | null>;
  close(): Promise<void>;
}

export interface NewSession {
  readonly id: string;
  /** Whose it is; "" where nobody asks. */
  readonly person: string;
  /** Of what project, by the path of its workspace; "" where there is none. */
  readonly project: string;
}

export interface StoredSession extends NewSession {
  /** Milliseconds since 1970, by the store's clock. */
  readonly created: number;
  readonly changed: number;
  /** How many events it has. */
  readonly events: number;
  /** Who holds it, or held it last without giving it back. */
  readonly machine: string | null;
}

export interface SessionFilter {
  readonly id?: string;
  readonly person?: string;
  readonly project?: string;
  readonly limit?: number;
}

export interface PruneFilter {
  readonly project?: string;
  /** How many at most, the oldest first. */
  readonly limit?: number;
}

interface EventRange {
  /** Only events with a higher number. */
  readonly after?: number;
  readonly limit?: number;
}

/** The one writer of a session's events, as long as nobody else takes the session over. */
export interface Journal {
  readonly sessionId: string;
  /** Grows with each holder; what an earlier one still writes is refused. */
  readonly epoch: number;
  readonly end: JournalEnd;
  /** Aborted as soon as it is known that somebody else holds the journal. The session has to stop. */
  readonly fenced: AbortSignal;
  /**
   * Whether something may be started now that is not to run twice. Ask after what says so was appended: a process that
   * could not renew its lease for long starts nothing, because another one may have taken over.
   */
  mayStart(): boolean;
  /**
   * Stores events that follow the last, with the questions that they open and close; all or none. Where it is not known
   * whether an earlier try was stored, the same events can be given again, with more behind them.
   */
  append(events: readonly StoredEvent[], questions?: QuestionChanges): Promise<void>;
  /** Keeps values by their hash, as long as the session is there. */
  keep(parts: ReadonlyMap<string, string>): Promise<void>;
  saveSnapshot(snapshot: StoredSnapshot): Promise<void>;
  loadSnapshot(): Promise<StoredSnapshot | null>;
  /** Gives the journal back, so that anybody may hold it at once. */
  release(): Promise<void>;
}

export interface QuestionChanges {
  readonly asked?: readonly NewQuestion[];
  /** Ids of questions that need no answer any more. */
  readonly closed?: readonly string[];
}

export interface StoredSnapshot {
  readonly seq: number;
  readonly text: string;
}

export interface NewQuestion {
  readonly id: string;
  readonly kind: QuestionKind;
  /** What there is to know for whoever answers. */
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

/** Small values of one person in one project. */
export interface KeyValues {
  get(key: string): Promise<unknown>;
  entries(): Promise<ReadonlyMap<string, unknown>>;
  /** Puts what `change` makes of the value there; `undefined` means none, before and after. It may be asked again. */
  change(key: string, change: (value: unknown) => unknown): Promise<void>;
}

/** What expires: messages, the key-value entries of a name, open questions of a session. */
export type Expired =
  | { readonly kind: "messages" }
  | { readonly kind: "key-values"; readonly name: string }
  | { readonly kind: "questions"; readonly sessionId: string };

/** Something that one process tells others. */
export interface FeedMessage {
  /** Grows from each message of a feed to the next, not always by one. */
  readonly seq: number;
  readonly message: unknown;
}

export interface StoreMachine {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly pid: number;
  /** Milliseconds since it was last heard of. */
  readonly silent: number;
}
