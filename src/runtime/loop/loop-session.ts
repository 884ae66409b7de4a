import type { AnsweredCall, HistoryMessage } from "../../core/call/message.ts";
import type { PayloadOf } from "../../core/dialects/dialects.ts";
import type { DialectName } from "../../core/dialects/limits.ts";
import type { StreamPart } from "../../core/dialects/stream-part.ts";
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

/** One message of a conversation, and the number of the event that said it. */
export interface HistoryItem {
  readonly seq: number;
  readonly message: HistoryMessage;
}

/** What a run needs of the session whose tools it uses. */
export interface LoopSession {
  readonly id: string;
  payload(dialect: WireName): PayloadOf<WireName>;
  /** Runs the calls of a reply; every answer once, in the order of the calls. */
  execute(
    events: AsyncIterable<unknown>,
    options: {
      readonly payload: PayloadOf<DialectName>;
      readonly signal: AbortSignal;
      readonly onPart: (part: StreamPart) => void;
    },
  ): AsyncIterable<LoopAnswer>;
  readonly emit: Emitter["emit"];
  /** Waits until everything that happened so far is stored. */
  stored(): Promise<void>;
  /** As of now, from the session's own events. */
  history(): readonly HistoryItem[];
  /** Text in front of what the toolset says about itself. */
  prompt(): readonly PromptSection[];
}

/** How long a run may go on; null is no limit. */
export interface RunLimits {
  /** Requests to the model. */
  readonly turns: number | null;
  /** Tokens read and written. */
  readonly tokens: number | null;
  /** US dollars. */
  readonly cost: number | null;
  /** Milliseconds. */
  readonly time: number | null;
}

/** How a conversation is shortened, where that is not our own way. */
export interface CompactionForm {
  /** The part of the context at which it is. */
  readonly threshold: number;
  /** Tokens of a request beside the history, where no provider has counted them. */
  readonly overhead: number;
  /** What the model is asked, in place of our own words. */
  readonly request: string;
  /** What stands for all that went, which is everything. */
  readonly toSummary: (gone: readonly HistoryMessage[], answer: string) => string;
}

export interface LoopSetting {
  readonly session: LoopSession;
  readonly model: ModelClient;
  /** Who runs: the name of a subagent, null for the session itself. */
  readonly agent: string | null;
  /** Tokens that the model can read. */
  readonly contextWindow: number;
  readonly price: Price | null;
  readonly effort: Effort | null;
  readonly maxTokens: number | null;
  /** The form that answers must have; null: any. */
  readonly schema: Readonly<Record<string, unknown>> | null;
  /** How often a request is made before its failure is told. */
  readonly attempts: number;
  /** Null: our own way, which keeps the last messages. */
  readonly compaction: CompactionForm | null;
  /** What agents below this one have used since the session began. */
  readonly usedBelow: () => RunTotals;
  readonly newId: () => string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}
