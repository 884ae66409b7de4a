import type { HistoryMessage } from "../../../core/call/message.ts";
import type { ToolResult } from "../../../core/call/tool-result.ts";
import type { MessageOf, PayloadOf } from "../../../core/dialects/dialects.ts";
import type { DialectName } from "../../../core/dialects/limits/limits.ts";
import type { StreamPart } from "../../../core/dialects/stream/stream-part.ts";
import type { PayloadOptions } from "../../../core/dialects/tools/advertise.ts";
import type { Outcome } from "../../executor/outcome.ts";
import type { Run, RunOptions, SendOptions } from "../../loop/run-types.ts";

/** What a program says to the session's model. */
export interface SessionRuns {
  /**
   * Sends a prompt to the model and runs what it calls, until the model is done. Await it for how it ended, or go through
   * its events as they happen. It waits until an earlier run is over.
   */
  run(prompt: string, options?: RunOptions): Run;
  /**
   * Sends a prompt without waiting for the answer: after the current run, or into it with `mode: "immediate"`. Returns the
   * id of the message.
   */
  send(prompt: string, options?: SendOptions): string;
  /** Ends the current run, and drops the prompts that wait for it. */
  abort(reason?: string): Promise<void>;
  /** Turns the older part of the conversation into a summary; false if there is nothing to shorten. */
  compact(signal?: AbortSignal): Promise<boolean>;
  /**
   * Removes the messages from the event of that number on, and the reply that they answer; returns how many messages
   * were removed. Refused during a run.
   */
  truncate(from: number): Promise<number>;
  /** The messages so far. */
  history(): Promise<readonly HistoryMessage[]>;
}

/** How one request is made from the toolset. */
export interface SessionPayloadOptions extends PayloadOptions {
  /** `anthropic` only: announces tools that come and go by messages in the history, so that caches hold. */
  readonly toolChanges?: boolean;
}

/** How the calls of a reply are run. */
export interface ReplyOptions {
  /** Aborting it cancels every call that has not ended, as the user would. */
  readonly signal?: AbortSignal;
  /** The request that this reply answers; the newest if absent. */
  readonly payload?: PayloadOf<DialectName>;
  /** How to read the reply where no payload was asked for, or the newest is for another provider. */
  readonly dialect?: DialectName;
  /** Gets everything that the model says, as it is read: text to show, calls that begin, the stop. */
  readonly onPart?: (part: StreamPart) => void;
}

/** Which reply the results are for. */
export interface ResultsOptions {
  /** The request that was answered, where several replies are executed at once; that of the last reply if absent. */
  readonly payload?: PayloadOf<DialectName>;
}

/** One call of a reply: its result, the call itself, and whether it goes back to the model. */
export type ReplyResult = ToolResult & Omit<Outcome, "result">;

/** The messages to send back for a reply. */
export type Results<Name extends DialectName> = MessageOf<Name>[] & {
  /** A rejection ended the turn: the model is not asked again. */
  readonly endTurn: boolean;
};
