import type { PayloadOf } from "../../core/dialects/dialects.ts";
import type { DialectName } from "../../core/dialects/limits/limits.ts";
import type { SessionEvent } from "../../core/events/envelope.ts";
import type { EventName, SessionEvents } from "../../core/events/event-types.ts";
import type { Answer } from "../../core/toolset/explain.ts";
import type { Toolset } from "../../core/toolset/toolset.ts";
import type { ExternalTool, Registration } from "../../sources/external/external-source.ts";
import type { Source } from "../../sources/source.ts";
import type { Run } from "../loop/run-types.ts";
import type { CallResult, LoopHooks, OneCallOptions } from "./calls/call-types.ts";
import type {
  ReplyOptions,
  ReplyResult,
  Results,
  ResultsOptions,
  SessionPayloadOptions,
  SessionRuns,
} from "./conversation/conversation-types.ts";
import type { SessionOptions } from "./options/session-options.ts";
import type { SavedPromotions } from "./search/promotion-state.ts";

/** The tools of one conversation: what they are, why, and how to call them. */
export interface Session extends SessionRuns {
  readonly id: string;
  /**
   * The run that `continue` of `resumeSession` goes on with, to await or to go through; null where nothing was cut, or
   * nobody asked for it.
   */
  readonly continued: Run | null;
  /** Every tool with its standing and the reasons for it, as of now; never changed in place. */
  readonly toolset: Toolset;
  /** Where its tools come from, each with its state. */
  readonly sources: readonly Source[];
  /** Why a tool is there or not, and what to change; takes any name, also of a set, a server or a pattern. */
  why(name: string): Answer;
  /** Runs one call through every stage: hooks, permission, time-out, result. Takes any name that means one tool. */
  call(name: string, args?: unknown, options?: OneCallOptions): Promise<CallResult>;
  /** The tools, prompt sections and names to send in one request to a provider, from the current toolset. */
  payload<Name extends DialectName>(dialect: Name, options?: SessionPayloadOptions): PayloadOf<Name>;
  /**
   * Runs the calls of a provider's reply: a stream, a whole response, or a promise of one. Calls start while the model
   * still writes where that is safe; results come in the order of the calls.
   */
  execute(reply: unknown, options?: ReplyOptions): AsyncGenerator<ReplyResult, void, void>;
  /** The messages to send back for the last reply that was executed, or that of one payload; empty without calls. */
  results<Name extends DialectName>(dialect: Name, options?: ResultsOptions): Results<Name>;
  /**
   * Changes the given options and keeps the others; refused as a whole if no tool would be left. Some options
   * (`workspace`, `signal`, `limits`, …) cannot change.
   */
  updateOptions(changes: SessionOptions): Promise<void>;
  /** Replaces all tools of this owner; `[]` removes them. */
  setTools(owner: string, tools: readonly ExternalTool[]): Registration;
  /** Answers a call of a tool without a handler. */
  answer(requestId: string, result: unknown): boolean;
  /** The user said something new: cancels calls that have not started, and running ones whose tool allows it. */
  interrupt(): void;
  /** What searches have loaded, for `promoted` of a later session. */
  readonly promotions: SavedPromotions;
  /** A new user message begins: if too many tools are loaded, those that were not used for longest are unloaded. */
  nextTurn(): void;
  /** Hooks for programs that ask the model themselves. */
  calls(): Promise<LoopHooks>;
  /** Asks all sources for their tools again. */
  refresh(signal?: AbortSignal): Promise<void>;
  /** Waits until no source is starting any more, or the signal is aborted. */
  settled(signal?: AbortSignal): Promise<void>;
  /**
   * Listens to one event, or to all of them under `*`; returns a function that stops it. The second argument is the event
   * itself, which says when it happened and in which agent.
   */
  on<Name extends EventName>(
    name: Name,
    listener: (data: SessionEvents[Name], event: SessionEvent) => void,
  ): () => void;
  on(name: "*", listener: (event: SessionEvent) => void): () => void;
  /** Ends running calls, processes and timers. Twice is fine. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Options of `resumeSession`. */
export interface ResumeOptions extends SessionOptions {
  /** Where the session is stored. */
  readonly store: NonNullable<SessionOptions["store"]>;
  /** Repeats the request to the model that was interrupted, once open questions are answered; the run is `continued`; off if absent. */
  readonly continue?: boolean;
  /** Closes calls that waited for somebody as interrupted; they keep waiting if absent. */
  readonly abandon?: boolean;
}
