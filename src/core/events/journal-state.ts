import type { JournalEnd } from "./envelope.ts";
import type { HistoryEntry } from "./history.ts";
import type { LoadedTools, SessionGrant, StoredOptions, TodoStep } from "./state-events.ts";

/** The state of a session after the events of its journal, as plain data. */
export interface JournalState extends JournalEnd {
  /** An unknown type that must not be ignored: the session can be read but not continued. */
  readonly readOnly: { readonly type: string; readonly seq: number } | null;
  readonly forkedFrom: { readonly session: string; readonly at: number } | null;
  /** What the next model request consists of, oldest first; the events hold the text. */
  readonly history: readonly HistoryEntry[];
  readonly options: StoredOptions;
  readonly promotions: LoadedTools | null;
  /** Hash of the tools in the last model request; null before the first. */
  readonly tools: string | null;
  /** Active skills, in the order of activation. */
  readonly skills: ReadonlySet<string>;
  /** Ids of stored long results. */
  readonly results: ReadonlySet<string>;
  /** By id. */
  readonly grants: ReadonlyMap<string, SessionGrant>;
  readonly todo: readonly TodoStep[];
  /** The session's own database file in base64; null if there is none yet. */
  readonly database: string | null;
  /** The session's own files, including its plan: text by path. */
  readonly files: ReadonlyMap<string, string>;
  /** Open questions to people, by request id. */
  readonly questions: ReadonlyMap<string, OpenQuestion>;
  /** Calls that were accepted and have not ended, by id. */
  readonly calls: ReadonlyMap<string, UnendedCall>;
  /** By agent; the session itself is "". */
  readonly usage: ReadonlyMap<string, UsageTotals>;
}

export type QuestionKind = "permission" | "user_input" | "elicitation" | "plan" | "external_tool";

interface OpenQuestion {
  readonly kind: QuestionKind;
  /** Number of the asking event. */
  readonly seq: number;
  readonly toolCallId: string | null;
  /** Digest of what a yes would be about; absent where the kind has none. */
  readonly about?: string;
}

export interface UnendedCall {
  readonly toolName: string;
  /** Number of the accepting event. */
  readonly seq: number;
  /** The subagent that made it; null for the session itself. */
  readonly agent: string | null;
  readonly parentToolCallId: string | null;
  /** It was sent to its source, so it may have had an effect. */
  readonly running: boolean;
}

interface UsageTotals {
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  readonly cost: number;
}

export const EMPTY_STATE: JournalState = {
  seq: 0,
  last: null,
  readOnly: null,
  forkedFrom: null,
  history: [],
  options: {},
  promotions: null,
  tools: null,
  skills: new Set(),
  results: new Set(),
  grants: new Map(),
  todo: [],
  database: null,
  files: new Map(),
  questions: new Map(),
  calls: new Map(),
  usage: new Map(),
};
