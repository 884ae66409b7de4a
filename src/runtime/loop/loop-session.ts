import type { AnsweredCall, HistoryMessage } from "../../core/call/message.ts";
import type { PayloadOf } from "../../core/dialects/dialects.ts";
import type { DialectName } from "../../core/dialects/limits/limits.ts";
import type { StreamPart } from "../../core/dialects/stream/stream-part.ts";
import type { PromptSection } from "../../core/toolset/prompt-sections.ts";
import type { Clock } from "../../system/time/clock.ts";
import type { Emitter } from "../events/emitter.ts";
import type { Effort, ModelClient, WireName } from "../models/model.ts";
import type { Price } from "../models/prices.ts";
import type { RunTotals } from "./run-totals.ts";

export interface LoopAnswer extends AnsweredCall {
  /** The model is not asked again in this run. */
  readonly endTurn: boolean;
}

/** One message of a conversation, and the number of its event. */
export interface HistoryItem {
  readonly seq: number;
  readonly message: HistoryMessage;
}

/** What a run needs from the session whose tools it uses. */
export interface LoopSession {
  readonly id: string;
  /** For a request with this history: what a search loaded is sent whole, unless the history still loads it (D8). */
  payload(dialect: WireName, history: readonly HistoryMessage[]): PayloadOf<WireName>;
  /** Runs the calls of a reply; one answer for each, in the order of the calls. */
  execute(
    events: AsyncIterable<unknown>,
    options: {
      readonly payload: PayloadOf<DialectName>;
      readonly signal: AbortSignal;
      readonly onPart: (part: StreamPart) => void;
    },
  ): AsyncIterable<LoopAnswer>;
  readonly emit: Emitter["emit"];
  /** Waits until all events so far are stored. */
  stored(): Promise<void>;
  /** The current history, from the session's own events. */
  history(): readonly HistoryItem[];
  /** Text before the toolset's own sections. */
  prompt(): readonly PromptSection[];
}

/** Limits of a run; null is no limit. */
/** How a conversation is compacted, if not in the default way. */
export interface CompactionForm {
  /** The share of the context at which that happens. */
  readonly threshold: number;
  /** Tokens of a request in addition to the history, if no provider has counted them. */
  readonly overhead: number;
  /** The prompt for the model, instead of the default one. */
  readonly request: string;
  /** The text that replaces all compacted messages. */
  readonly toSummary: (gone: readonly HistoryMessage[], answer: string) => string;
}

export interface LoopSetting {
  readonly session: LoopSession;
  readonly model: ModelClient;
  /** The name of the subagent that runs; null for the session itself. */
  readonly agent: string | null;
  /** Tokens that the model can read. */
  readonly contextWindow: number;
  readonly price: Price | null;
  readonly effort: Effort | null;
  /** The schema that answers must fit; null: any. */
  readonly schema: Readonly<Record<string, unknown>> | null;
  /** How often a request is tried before its failure is reported. */
  readonly attempts: number;
  /** Null: the default, which keeps the last messages. */
  readonly compaction: CompactionForm | null;
  /** What child agents have used since the session began. */
  readonly usedBelow: () => RunTotals;
  readonly newId: () => string;
  readonly clock: Clock;
}
