import type { HistoryMessage, UserPart } from "../../core/call/message.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { Emitter } from "../events/emitter.ts";
import { compact } from "./compact.ts";
import { addMessage, type InputMessage } from "./input-message.ts";
import type { HistoryItem, LoopSetting } from "./loop-session.ts";
import type { RunHooks } from "./run-hooks.ts";
import { runLoop } from "./run-loop.ts";
import { NOTHING_USED } from "./run-totals.ts";
import type { MessageSource, RunEnd, RunLimits, RunOptions } from "./run-types.ts";

/** A conversation between a person and a model, one run at a time. */
export interface RunQueue {
  readonly history: readonly HistoryMessage[];
  /** Adds a message and resolves when its run has ended; waits behind a current run. */
  start(messageId: string, prompt: string, options?: RunOptions): Promise<RunEnd>;
  /** Joins the current run at its next request; without one, starts a run, and is false. */
  join(messageId: string, prompt: string, attachments?: readonly UserPart[], source?: MessageSource): boolean;
  /** Reports an event to the model: joins like a message. */
  notify(message: InputMessage): boolean;
  /** Joins the next request, whenever there is one. */
  leave(message: InputMessage): void;
  /** How many of these have not been read yet. */
  readonly unread: number;
  /** Ends the run, and everything that waits behind it. */
  abort(reason?: string): Promise<void>;
  /** Continues a run whose message was already added, after `before`. */
  again(message: InputMessage, before: (signal: AbortSignal) => Promise<void>): Promise<RunEnd>;
  /** Withdraws all messages from that event on; returns how many. */
  truncate(from: number): Promise<number>;
  /** Summarises older messages; false if there is nothing to compact, or while a run is active. */
  compact(signal?: AbortSignal): Promise<boolean>;
}

export interface RunQueuePorts {
  /** Made for each run, so that a changed model applies from the next one on. */
  readonly setting: () => Promise<LoopSetting>;
  readonly history: () => readonly HistoryItem[];
  readonly emit: Emitter["emit"];
  readonly newId: () => string;
  /** Waits until all events so far are stored. */
  readonly stored: () => Promise<void>;
  readonly hooks: () => Promise<RunHooks>;
  /** Waits a while for sources that are starting: a model that sees half of its tools gives up on the task. */
  readonly ready: (signal: AbortSignal) => Promise<void>;
  /**
   * Ends what an earlier process left open, once, before messages are added or withdrawn. With a signal it waits for
   * missing answers; without one it continues without them.
   */
  readonly begin: (signal: AbortSignal | null) => Promise<void>;
}

interface Waiting {
  readonly message: InputMessage;
  readonly options: RunOptions;
  /** Only if the message was already added: what must be done before the model is asked. */
  readonly before?: (signal: AbortSignal) => Promise<void>;
  readonly resolve: (end: RunEnd) => void;
  readonly reject: (error: unknown) => void;
}

const ABORTED: RunEnd = { stopReason: "aborted", text: "", totals: NOTHING_USED };

/** What waits for the next request of this run or a later one. */
interface Unread {
  /** Keeps a run going, or starts one. */
  readonly steered: InputMessage[];
  /** Waits for the next request. */
  readonly notes: InputMessage[];
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
      // A message that came too late to join gets a run of its own.
      for (const late of unread.steered.splice(0)) void enqueue(late, {});
      work();
    });
    running = { stop, over };
  };
  const enqueue = (
    message: InputMessage,
    options: RunOptions,
    again: Pick<Waiting, "before"> = {},
  ): Promise<RunEnd> => {
    const end = new Promise<RunEnd>((resolve, reject) => {
      queue.push({ message, options, ...again, resolve, reject });
    });
    // Observers of the events have seen the error there.
    end.catch(() => {});
    work();
    return end;
  };
  const notify = (message: InputMessage): boolean => {
    const joins = running !== null;
    if (joins) unread.steered.push(message);
    else void enqueue(message, {});
    return joins;
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
    leave: (message) => void unread.notes.push(message),
    get unread() {
      return unread.notes.length;
    },
    again: (message, before) => enqueue(message, {}, { before }),
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

/** One run, however it ends; its events and its caller learn the same. */
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

/** How often a hook may have a failed run repeated. */
const RETRIES = 3;

async function attempt(
  waiting: Waiting,
  stop: AbortController,
  unread: Unread,
  { setting, emit, hooks: load, newId, begin, ready }: RunQueuePorts,
): Promise<RunEnd> {
  const { message: given, options } = waiting;
  const hooks = await load();
  if (waiting.before === undefined) {
    // When the user sends something new, the run continues without the missing answers; nobody else may decide that.
    await begin(given.source === "user" ? null : stop.signal);
    const message = await throughHooks(given, hooks);
    if ("blocked" in message) {
      emit("session.warning", { code: "hook.message", text: message.blocked, names: [], origin: HOOK_ORIGIN });
      return { stopReason: "rejected", text: "", totals: NOTHING_USED };
    }
    const addText = (text: string): void =>
      emit("user.message", { messageId: newId(), content: toContent(text), source: "hook" });
    options.before?.forEach(addText);
    addMessage(emit, message);
    options.after?.forEach(addText);
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

/** Where to cut a history so that nothing of `from` or later stays: a reply and its answers are never separated. */
function findTruncation(history: readonly HistoryItem[], from: number) {
  // A summary precedes the messages that it was made after.
  let at = history.findIndex(({ seq }, place) => seq >= from && seq < (history[place + 1]?.seq ?? Infinity));
  while (at > 0 && history[at]?.message.role === "answers") at -= 1;
  return { at: history[at]?.seq ?? null, gone: at < 0 ? 0 : history.length - at };
}

/** Hooks see what a person sends, and nothing else. */
async function throughHooks(
  given: InputMessage,
  hooks: RunHooks,
): Promise<InputMessage | { readonly blocked: string }> {
  if (given.source !== "user") return given;
  const { prompt, additionalContext, blocked } = await hooks.prompt(textOf(given.content));
  return blocked === null ? { ...given, content: withHooks(given.content, prompt, additionalContext) } : { blocked };
}

const HOOK_ORIGIN = { kind: "call", call: "hooks.userPromptSubmitted" } as const;

function toContent(prompt: string, attachments: readonly UserPart[] = []): readonly UserPart[] {
  return [...(prompt === "" ? [] : [{ type: "text", text: prompt } as const]), ...attachments];
}

/** The user's text; attached texts follow it. */
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
