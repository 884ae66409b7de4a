import type { HistoryMessage, UserPart } from "../../core/call/message.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { Emitter } from "../events/emitter.ts";
import { compact } from "./compact.ts";
import type { HistoryItem, LoopSetting, RunLimits } from "./loop-session.ts";
import type { RunHooks } from "./run-hooks.ts";
import { type RunEnd, runLoop } from "./run-loop.ts";
import { NOTHING_USED } from "./run-totals.ts";
import { type SaidBy, type SaidMessage, say } from "./said.ts";

export interface RunOptions {
  /** Files for the model to see, beside the text. */
  readonly attachments?: readonly UserPart[];
  readonly signal?: AbortSignal;
  readonly limits?: Partial<RunLimits>;
  /** The id of the message; made up if absent. */
  readonly messageId?: string;
  /** SaidMessage to the model as messages of their own, in front of the prompt and behind it. */
  readonly before?: readonly string[];
  readonly after?: readonly string[];
  /** JSON Schema that the model's answer must have the form of. */
  readonly schema?: Readonly<Record<string, unknown>>;
}

export interface SendOptions {
  readonly attachments?: readonly UserPart[];
  /** The id of the message; made up if absent. */
  readonly messageId?: string;
  /** Who says it; the user if absent. */
  readonly source?: SaidBy;
  /** `enqueue`: a run of its own once the running one is over; `immediate`: joins the running one at its next request. */
  readonly mode?: "enqueue" | "immediate";
}

/** What a person and a model say to each other, one run at a time. */
export interface RunQueue {
  readonly history: readonly HistoryMessage[];
  /** Says a message and goes on until its run is over; behind a run that goes on, it waits. */
  start(messageId: string, prompt: string, options?: RunOptions): Promise<RunEnd>;
  /** Joins the run that goes on at its next request; where none does, a run of its own. */
  join(messageId: string, prompt: string, attachments?: readonly UserPart[], source?: SaidBy): void;
  /** Something happened: joins like a message. */
  notify(said: SaidMessage): void;
  /** Joins at the next request, whenever somebody makes one. */
  leave(said: SaidMessage): void;
  /** How much was left and not read yet. */
  readonly unread: number;
  /** Ends the run, and with it what waits behind it. */
  abort(reason?: string): Promise<void>;
  /** Goes on with a run whose message was said already, after `before`. */
  again(said: SaidMessage, before: (signal: AbortSignal) => Promise<void>): Promise<RunEnd>;
  /** Takes back what was said from that event on; returns how many messages that were. */
  truncate(from: number): Promise<number>;
  /** Turns older messages into a summary; false where there is nothing to shorten or a run goes on. */
  compact(signal?: AbortSignal): Promise<boolean>;
}

export interface RunQueuePorts {
  /** Made for each run, so that a changed model counts from the next one on. */
  readonly setting: () => Promise<LoopSetting>;
  readonly history: () => readonly HistoryItem[];
  readonly emit: Emitter["emit"];
  readonly newId: () => string;
  /** Waits until everything that happened so far is stored. */
  readonly stored: () => Promise<void>;
  readonly hooks: () => Promise<RunHooks>;
  /** Waits for sources that start, for a while: a model that sees half of its tools gives up on the task. */
  readonly ready: (signal: AbortSignal) => Promise<void>;
  /**
   * Ends what an earlier process left open, once, before anything is said or taken back. With a signal it waits for
   * answers that are missing; without one it goes on without them.
   */
  readonly begin: (signal: AbortSignal | null) => Promise<void>;
}

interface Waiting {
  readonly said: SaidMessage;
  readonly options: RunOptions;
  /** Only where the message was said already: what has to be done before the model is asked. */
  readonly before?: (signal: AbortSignal) => Promise<void>;
  readonly resolve: (end: RunEnd) => void;
  readonly reject: (error: unknown) => void;
}

const ABORTED: RunEnd = { stopReason: "aborted", text: "", totals: NOTHING_USED };

/** What waits for the next request of the run that goes on, or of a later one. */
interface Unread {
  /** Keeps a run going, or makes one. */
  readonly steered: SaidMessage[];
  /** Waits for whatever comes. */
  readonly notes: SaidMessage[];
}

export function createRunQueue(ports: RunQueuePorts): RunQueue {
  const queue: Waiting[] = [];
  const unread: Unread = { steered: [], notes: [] };
  let running: { readonly stop: AbortController; readonly over: Promise<void> } | null = null;

  const work = (): void => {
    const next = running === null ? queue.shift() : undefined;
    if (next === undefined) return;
    const stop = new AbortController();
    const over = runOne(next, stop, unread, ports).then(() => {
      running = null;
      // What came too late to join makes a run of its own.
      for (const late of unread.steered.splice(0)) void enqueue(late, {});
      work();
    });
    running = { stop, over };
  };
  const enqueue = (said: SaidMessage, options: RunOptions, again: Pick<Waiting, "before"> = {}): Promise<RunEnd> => {
    const end = new Promise<RunEnd>((resolve, reject) => {
      queue.push({ said, options, ...again, resolve, reject });
    });
    // Whoever only looks at the events has heard of the error there.
    end.catch(() => {});
    work();
    return end;
  };
  const notify = (said: SaidMessage): void => {
    if (running === null) void enqueue(said, {});
    else unread.steered.push(said);
  };
  return {
    get history() {
      return ports.history().map(({ message }) => message);
    },
    start: (messageId, prompt, options = {}) =>
      enqueue({ messageId, content: toContent(prompt, options.attachments), source: "user" }, options),
    join: (messageId, prompt, attachments, source = "user") =>
      notify({ messageId, content: toContent(prompt, attachments), source }),
    notify,
    leave: (said) => void unread.notes.push(said),
    get unread() {
      return unread.notes.length;
    },
    again: (said, before) => enqueue(said, {}, { before }),
    async truncate(from) {
      if (running !== null)
        throw new ToolcribError("session.busy", "the session is in the middle of a run; abort it first");
      await ports.begin(null);
      const { at, gone } = findTruncation(ports.history(), from);
      if (at === null) return 0;
      ports.emit("history.truncated", { from: at });
      await ports.stored();
      return gone;
    },
    async abort(reason = "user_initiated") {
      for (const { resolve } of queue.splice(0)) resolve(ABORTED);
      unread.steered.length = 0;
      running?.stop.abort(reason);
      await running?.over;
    },
    async compact(signal = new AbortController().signal) {
      if (running !== null) return false;
      await ports.begin(null);
      return compact(await ports.setting(), "manual", signal, await ports.hooks());
    },
  };
}

/** One run, whatever becomes of it; what its events and its caller learn is the same. */
async function runOne(waiting: Waiting, stop: AbortController, unread: Unread, ports: RunQueuePorts): Promise<void> {
  const { signal } = waiting.options;
  const onAbort = (): void => stop.abort(signal?.reason);
  if (signal?.aborted) onAbort();
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    const end = await attempt(waiting, stop, unread, ports);
    ports.emit("session.idle", { stopReason: end.stopReason });
    await ports.stored();
    waiting.resolve(end);
  } catch (error) {
    if (stop.signal.aborted) {
      ports.emit("abort", { reason: typeof stop.signal.reason === "string" ? stop.signal.reason : "user_initiated" });
      ports.emit("session.idle", { stopReason: "aborted" });
      await ports.stored().catch(() => {});
      waiting.resolve(ABORTED);
    } else {
      ports.emit("session.error", { message: messageOf(error), status: statusOf(error) });
      ports.emit("session.idle", { stopReason: "error" });
      await ports.stored().catch(() => {});
      waiting.reject(error);
    }
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
}

const NO_LIMITS: RunLimits = { turns: 200, tokens: null, cost: null, time: null };

/** How often a hook may have a failed run made again. */
const RETRIES = 3;

async function attempt(
  waiting: Waiting,
  stop: AbortController,
  unread: Unread,
  { setting, emit, hooks: load, newId, begin, ready }: RunQueuePorts,
): Promise<RunEnd> {
  const { said: given, options } = waiting;
  const hooks = await load();
  if (waiting.before === undefined) {
    // A person who says something new goes on without what waits; nobody else may decide that.
    await begin(given.source === "user" ? null : stop.signal);
    const said = await throughHooks(given, hooks);
    if ("blocked" in said) {
      emit("session.warning", { code: "hook.message", text: said.blocked, names: [], origin: HOOK_ORIGIN });
      return { stopReason: "rejected", text: "", totals: NOTHING_USED };
    }
    const tell = (text: string): void =>
      emit("user.message", { messageId: newId(), content: toContent(text), source: "hook" });
    options.before?.forEach(tell);
    say(emit, said);
    options.after?.forEach(tell);
  } else {
    await waiting.before(stop.signal);
    stop.signal.throwIfAborted();
  }
  await ready(stop.signal);
  const run = {
    messageId: given.messageId,
    limits: { ...NO_LIMITS, ...options.limits },
    signal: stop.signal,
    takeSteered: () => unread.steered.splice(0),
    takeNotes: () => unread.notes.splice(0),
    hooks,
  };
  for (let tries = 1; ; tries += 1) {
    try {
      return await runLoop({ ...(await setting()), schema: options.schema ?? null }, run);
    } catch (error) {
      stop.signal.throwIfAborted();
      if ((await hooks.failed(error, tries < RETRIES)) !== "retry" || tries >= RETRIES) throw error;
    }
  }
}

/** Where a history is cut so that nothing of `from` or later stays: a reply and its answers are never parted. */
function findTruncation(history: readonly HistoryItem[], from: number) {
  // A summary stands in front of what it was made after.
  let at = history.findIndex(({ seq }, place) => seq >= from && seq < (history[place + 1]?.seq ?? Infinity));
  while (at > 0 && history[at]?.message.role === "answers") at -= 1;
  return { at: history[at]?.seq ?? null, gone: at < 0 ? 0 : history.length - at };
}

/** Hooks hear of what a person says, and of nothing else. */
async function throughHooks(given: SaidMessage, hooks: RunHooks): Promise<SaidMessage | { readonly blocked: string }> {
  if (given.source !== "user") return given;
  const { prompt, additionalContext, blocked } = await hooks.prompt(textOf(given.content));
  return blocked === null ? { ...given, content: withHooks(given.content, prompt, additionalContext) } : { blocked };
}

const HOOK_ORIGIN = { kind: "call", call: "hooks.userPromptSubmitted" } as const;

function toContent(prompt: string, attachments: readonly UserPart[] = []): readonly UserPart[] {
  return [...(prompt === "" ? [] : [{ type: "text", text: prompt } as const]), ...attachments];
}

/** What the user wrote; attached texts are behind it. */
function textOf(content: readonly UserPart[]): string {
  const [first] = content;
  return first?.type === "text" ? first.text : "";
}

function withHooks(content: readonly UserPart[], prompt: string, more: readonly string[]): readonly UserPart[] {
  const rest = content[0]?.type === "text" ? content.slice(1) : content;
  return [...toContent(prompt, rest), ...more.map((text) => ({ type: "text", text }) as const)];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function statusOf(error: unknown): number | null {
  return error instanceof Error && "status" in error && typeof error.status === "number" ? error.status : null;
}
