import type { JournalEnd } from "./envelope.ts";
import type { HistoryEntry } from "./history.ts";
import type { LoadedTools, SessionGrant, StoredOptions, TodoStep } from "./state-events.ts";

/** What a session is after the events of its journal, as plain data. */
export interface JournalState extends JournalEnd {
  /** A type that this program does not know and must not ignore: the session can be read, and not be gone on with. */
  readonly readOnly: { readonly type: string; readonly seq: number } | null;
  readonly forkedFrom: { readonly session: string; readonly at: number } | null;
  /** What the next request to a model is made of, oldest first; the events themselves say the words. */
  readonly history: readonly HistoryEntry[];
  readonly options: StoredOptions;
  readonly promotions: LoadedTools | null;
  /** Hash of the tools that the model was last asked with; null where it was asked nothing. */
  readonly tools: string | null;
  /** Skills that are active, in the order in which they became so. */
  readonly skills: ReadonlySet<string>;
  /** Ids of long results that are kept. */
  readonly results: ReadonlySet<string>;
  /** By id. */
  readonly grants: ReadonlyMap<string, SessionGrant>;
  readonly todo: readonly TodoStep[];
  /** The file of the session's own database, in base64; null where there is none yet. */
  readonly database: string | null;
  /** The session's own files, its plan among them: text by path. */
  readonly files: ReadonlyMap<string, string>;
  /** What waits for somebody, by request id. */
  readonly questions: ReadonlyMap<string, OpenQuestion>;
  /** Calls that were accepted and have not ended, by id. */
  readonly calls: ReadonlyMap<string, UnendedCall>;
  /** By agent; the session's own under "". */
  readonly usage: ReadonlyMap<string, UsageTotals>;
}

export type QuestionKind = "permission" | "user_input" | "elicitation" | "plan" | "external_tool";

interface OpenQuestion {
  readonly kind: QuestionKind;
  /** Of the event that asks. */
  readonly seq: number;
  readonly toolCallId: string | null;
}

export interface UnendedCall {
  readonly toolName: string;
  /** Of the event that accepted it. */
  readonly seq: number;
  /** The subagent that made it; null: the session itself. */
  readonly agent: string | null;
  readonly parentToolCallId: string | null;
  /** Its source was asked, so that it may have had an effect. */
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
