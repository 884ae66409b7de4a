import type { HistoryMessage, UserPart } from "../../core/call/message.ts";
import type { SessionEvent } from "../../core/events/envelope.ts";
import { addToHistory, type HistoryEntry, toHistoryMessage, withoutResults } from "../../core/events/history.ts";
import type { Emitter } from "../events/emitter.ts";
import type { HistoryItem, LoopSetting, RunLimits } from "./loop-session.ts";
import { type LoopRun, type RunEnd, runLoop, type Steered } from "./run-loop.ts";

export interface RunOptions {
  /** Files for the model to see, beside the text. */
  readonly attachments?: readonly UserPart[];
  readonly signal?: AbortSignal;
  readonly limits?: Partial<RunLimits>;
}

export interface SendOptions {
  readonly attachments?: readonly UserPart[];
  /** `enqueue`: a run of its own once the running one is over; `immediate`: joins the running one at its next request. */
  readonly mode?: "enqueue" | "immediate";
}

/** What a person and a model say to each other, one run at a time. */
export interface RunQueue {
  readonly history: readonly HistoryMessage[];
  /** Says a message and goes on until its run is over; behind a run that goes on, it waits. */
  start(messageId: string, prompt: string, options?: RunOptions): Promise<RunEnd>;
  /** Joins the run that goes on at its next request; where none does, a run of its own. */
  join(messageId: string, prompt: string, attachments?: readonly UserPart[]): void;
  /** Ends the run, and with it what waits behind it. */
  abort(reason?: string): Promise<void>;
  /** Turns older messages into a summary; false where there is nothing to shorten or a run goes on. */
  compact(signal?: AbortSignal): Promise<boolean>;
}

export interface RunQueuePorts {
  /** Made for each run, so that a changed model counts from the next one on. */
  readonly setting: (history: () => readonly HistoryItem[]) => Promise<LoopSetting>;
  readonly emit: Emitter["emit"];
  readonly on: Emitter["on"];
  /** What a journal holds already. */
  readonly past: readonly SessionEvent[];
  readonly beforeStop: LoopRun["beforeStop"];
}

const NO_LIMITS: RunLimits = { turns: 200, tokens: null, cost: null, time: null };

interface Waiting extends Steered {
  readonly options: RunOptions;
  readonly resolve: (end: RunEnd) => void;
  readonly reject: (error: unknown) => void;
}

export function createRunQueue({ setting, emit, on, past, beforeStop }: RunQueuePorts): RunQueue {
  const entries: HistoryEntry[] = [];
  const said = new Map<number, HistoryMessage>();
  const take = (event: SessionEvent): void => {
    addToHistory(entries, event);
    const message = toHistoryMessage(event);
    if (message !== undefined) said.set(event.seq, message);
  };
  for (const event of past) take(event);
  on("*", take);
  const history = (): readonly HistoryItem[] =>
    entries.flatMap(({ seq, agent, bare }) => {
      const message = said.get(seq);
      if (message === undefined || agent !== null) return [];
      return [{ seq, message: bare === true ? withoutResults(message) : message }];
    });

  const queue: Waiting[] = [];
  let steered: Steered[] = [];
  let running: { readonly stop: AbortController; readonly over: Promise<void> } | null = null;

  const runOne = async (
    { messageId, content, options, resolve, reject }: Waiting,
    stop: AbortController,
  ): Promise<void> => {
    const { signal, limits } = options;
    const onAbort = (): void => stop.abort(signal?.reason);
    if (signal?.aborted) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    emit("user.message", { messageId, content, source: "user" });
    try {
      const end = await runLoop(await setting(history), {
        messageId,
        limits: { ...NO_LIMITS, ...limits },
        signal: stop.signal,
        takeSteered: () => steered.splice(0),
        beforeStop,
      });
      emit("session.idle", { stopReason: end.stopReason });
      resolve(end);
    } catch (error) {
      if (stop.signal.aborted) {
        emit("abort", { reason: reasonOf(stop.signal) });
        emit("session.idle", { stopReason: "aborted" });
        resolve({ stopReason: "aborted", text: "", totals: NOTHING });
      } else {
        emit("session.error", { message: messageOf(error), status: statusOf(error) });
        emit("session.idle", { stopReason: "error" });
        reject(error);
      }
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  };
  const work = (): void => {
    const next = running === null ? queue.shift() : undefined;
    if (next === undefined) return;
    const stop = new AbortController();
    const over = runOne(next, stop).then(() => {
      running = null;
      // What came too late to join makes a run of its own.
      queue.unshift(...steered.splice(0).map((late) => toWaiting(late, {})));
      work();
    });
    running = { stop, over };
  };
  const start = (messageId: string, prompt: string, options: RunOptions = {}): Promise<RunEnd> => {
    const content = toContent(prompt, options.attachments);
    const end = new Promise<RunEnd>((resolve, reject) => {
      queue.push({ messageId, content, options, resolve, reject });
    });
    // Whoever only looks at the events has heard of the error there.
    end.catch(() => {});
    work();
    return end;
  };

  return {
    get history() {
      return history().map(({ message }) => message);
    },
    start,
    join(messageId, prompt, attachments) {
      if (running === null) void start(messageId, prompt, attachments === undefined ? {} : { attachments });
      else steered.push({ messageId, content: toContent(prompt, attachments) });
    },
    async abort(reason = "user_initiated") {
      for (const { resolve } of queue.splice(0)) resolve({ stopReason: "aborted", text: "", totals: NOTHING });
      steered = [];
      running?.stop.abort(reason);
      await running?.over;
    },
    async compact(signal = new AbortController().signal) {
      if (running !== null) return false;
      const { compact } = await import("./compact.ts");
      return compact(await setting(history), "manual", signal);
    },
  };
}

const NOTHING = { turns: 0, input: 0, output: 0, cached: 0, written: 0, cost: 0 };

function toWaiting({ messageId, content }: Steered, options: RunOptions): Waiting {
  return { messageId, content, options, resolve: () => {}, reject: () => {} };
}

function toContent(prompt: string, attachments: readonly UserPart[] = []): readonly UserPart[] {
  return [...(prompt === "" ? [] : [{ type: "text", text: prompt } as const]), ...attachments];
}

function reasonOf({ reason }: AbortSignal): string {
  return typeof reason === "string" ? reason : "user_initiated";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function statusOf(error: unknown): number | null {
  return error instanceof Error && "status" in error && typeof error.status === "number" ? error.status : null;
}
