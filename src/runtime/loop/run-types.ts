import type { UserPart } from "../../core/call/message.ts";
import type { SessionEvent } from "../../core/events/envelope.ts";
import type { SessionEvents } from "../../core/events/event-types.ts";
import type { RunStopReason } from "../../core/events/turn-events.ts";
import type { RunTotals } from "./run-totals.ts";

/** The sender of a message. */
export type MessageSource = SessionEvents["user.message"]["source"];

/** What a run may use before it ends; null for no limit. */
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

/** What a program says about one run. */
export interface RunOptions {
  /** Files for the model, in addition to the text. */
  readonly attachments?: readonly UserPart[];
  /** Aborting it ends the run. */
  readonly signal?: AbortSignal;
  /** What the run may use; 200 turns if absent. */
  readonly limits?: Partial<RunLimits>;
  /** The id of the message; generated if absent. */
  readonly messageId?: string;
  /** Sent to the model as separate messages before the prompt. */
  readonly before?: readonly string[];
  /** Sent to the model as separate messages after the prompt. */
  readonly after?: readonly string[];
  /** JSON Schema that the model's answer must fit. */
  readonly schema?: Readonly<Record<string, unknown>>;
}

/** What a program says about a message that it does not wait for. */
export interface SendOptions {
  /** Files for the model, in addition to the text. */
  readonly attachments?: readonly UserPart[];
  /** The id of the message; generated if absent. */
  readonly messageId?: string;
  /** The sender; the user if absent. */
  readonly source?: MessageSource;
  /**
   * `enqueue`: a run of its own after the current one; `immediate`: joins the current one at its next request. What a
   * user says then interrupts its calls as `interrupt()` does: what has not started, and tools with `interrupt: "cancel"`.
   */
  readonly mode?: "enqueue" | "immediate";
}

/** How a run ended. */
export interface RunEnd {
  readonly stopReason: RunStopReason;
  /** The model's last message. */
  readonly text: string;
  /** Turns are its own; tokens and cost include those of its child agents. */
  readonly totals: RunTotals;
}

/** A running run: its events as they happen, and its end for those who await it. If it fails, both throw the same error. */
export interface Run extends AsyncIterable<SessionEvent>, Pick<Promise<RunEnd>, "then" | "catch" | "finally"> {
  /** The id of the message that began it. */
  readonly messageId: string;
}
