import type { ToolResult } from "../../core/call/tool-result.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import { parseJson } from "../../core/shape/parse-json.ts";
import { escapeText } from "../../system/text/escape-text.ts";
import type { Clock } from "../../system/time/clock.ts";
import { LOOP_TURNS } from "../../system/time/loop-turns.ts";
import type { CodeOwner, CodeTools, InnerOutcome } from "../code-port.ts";
import type { PeerClient } from "../peer.ts";
import type { Progress } from "../source.ts";
import { createTurn } from "./computing-turn.ts";
import {
  type CodeCall,
  type CodeEnd,
  type CodeLimits,
  computedTooLong,
  type FromWorker,
  MOST_MEMORY,
  type ToWorker,
} from "./messages.ts";
import type { Steps } from "./report-steps.ts";
import type { Thread } from "./threads.ts";

export interface RunSetting {
  readonly clock: Clock;
  readonly owner: CodeOwner;
  readonly limits: CodeLimits;
  readonly now: number;
  readonly seed: number;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
  readonly steps: Steps;
}

/** The outcome of a run. */
export interface RanCode {
  /** Null if the run was ended from outside. */
  readonly end: CodeEnd | null;
  /** The result of a call that ended the turn, and with it the run. */
  readonly stopped: ToolResult | null;
  readonly notes: readonly string[];
  readonly calls: number;
  /** An untrusted tool answered the code. */
  readonly holdsStrange: boolean;
  /** How many characters were removed from such answers. */
  readonly dropped: number;
}

/** Milliseconds after which a thread that does not stop computing by itself is ended. */
const GRACE = 1_000;

/** Bytes that the code needs per character of a result while it reads it. */
const PER_CHARACTER = 4;

/**
 * Runs code in a thread until it ends, is cancelled or takes too long; the owner of the thread ends it if it does not
 * stop.
 */
export function runCode(code: string, tools: CodeTools, thread: Thread, setting: RunSetting): Promise<RanCode> {
  const { clock, owner, limits, now, seed, signal, onProgress, steps } = setting;
  const notes: string[] = [];
  let calls = 0;
  let holdsStrange = false;
  let dropped = 0;
  return new Promise((resolve) => {
    const turn = createTurn(owner);
    const watch = createWatch(clock, limits.computing + GRACE, () => finish(failed(computedTooLong(limits.computing))));
    const giveUp = (): void => finish(null);
    let isOver = false;
    const finish = (end: CodeEnd | null, stopped: ToolResult | null = null): void => {
      if (isOver) return;
      isOver = true;
      watch.stop();
      turn.leave();
      signal.removeEventListener("abort", giveUp);
      resolve({ end, stopped, notes, calls, holdsStrange, dropped });
    };
    const send = (message: ToWorker): void =>
      turn.within(() => {
        watch.sent();
        thread.post(message);
      });
    const answer = (id: number, { ok, value, computed }: Served): void => {
      if (isOver) return;
      const text = JSON.stringify(value ?? null) ?? "null";
      if (text.length > MOST_MEMORY / PER_CHARACTER) throw new Error(tooLarge(text.length));
      watch.charge(computed);
      send({ type: "answer", answer: { id, ok, value: text, computed } });
    };
    const serve = async (call: CodeCall): Promise<void> => {
      await LOOP_TURNS.take(owner.session);
      if (isOver) return;
      const message = `${call.from === null ? "" : `line ${call.from.line}: `}${escapeText(call.name)}`;
      calls += 1;
      onProgress({ message, progress: calls, total: null });
      steps.report(message);
      try {
        const said = await serveCall(call, tools, steps.clientOf(message), signal);
        if (said.outcome?.endsTurn === true) return finish(null, said.outcome.result);
        notes.push(...(said.outcome?.notes ?? []));
        holdsStrange ||= said.outcome?.isStrange === true;
        dropped += said.outcome?.result.dropped ?? 0;
        answer(call.id, said);
      } catch (error) {
        answer(call.id, { ok: false, value: error instanceof Error ? error.message : String(error), computed: 0 });
      }
    };
    const onMessage = (message: FromWorker): void => {
      if (isOver) return;
      if (message.type === "end") finish(message.end);
      if (message.type !== "waits") return;
      if (watch.read(message.read)) turn.leave();
      for (const call of message.calls) void serve(call);
    };
    thread.listen(onMessage, () =>
      finish(failed("The thread of the code ended, most likely because its memory was full.")),
    );
    signal.addEventListener("abort", giveUp, { once: true });
    if (signal.aborted) return giveUp();
    send({ type: "run", run: { code, servers: tools.servers, now, seed, limits } });
  });
}

interface Served {
  readonly ok: boolean;
  readonly value: unknown;
  /** Milliseconds that this process spent on a look-up. */
  readonly computed: number;
  readonly outcome?: InnerOutcome;
}

async function serveCall(
  { name, args: text, from }: CodeCall,
  tools: CodeTools,
  client: PeerClient | undefined,
  signal: AbortSignal,
): Promise<Served> {
  const args = parseJson(text);
  if (name === "tools.search") {
    const { query, options } = isRecord(args) ? args : {};
    const { limit, server } = isRecord(options) ? options : {};
    if (typeof query !== "string" || query.length > LONGEST_QUERY) return { ...NO_QUERY, computed: 0 };
    const wish = {
      limit: typeof limit === "number" ? limit : null,
      server: typeof server === "string" ? server : null,
    };
    const { functions, computed } = await tools.search(query, wish, signal);
    return { ok: true, value: functions, computed };
  }
  if (name === "tools.describe") {
    const since = performance.now();
    const { name: asked } = isRecord(args) ? args : {};
    const text = typeof asked === "string" ? tools.describe(asked) : null;
    const said = text === null ? { ok: false, value: unknownName(asked) } : { ok: true, value: text };
    return { ...said, computed: performance.now() - since };
  }
  const outcome = await tools.call(name, args, { line: from, client });
  const { resultType, structured, textResultForLlm } = outcome.result;
  const ok = resultType === "success";
  return { ok, value: ok && structured !== undefined ? structured : textResultForLlm, computed: 0, outcome };
}

/** Characters of a query: a search looks at each word. */
const LONGEST_QUERY = 1_000;
const NO_QUERY = {
  ok: false,
  value: `tools.search takes the words to look for, in at most ${LONGEST_QUERY} characters`,
} as const;

function unknownName(asked: unknown): string {
  const shown = JSON.stringify(asked)?.slice(0, 100) ?? "undefined";
  return `There is no tool ${shown}. Look for one with tools.search, and use the name that it gives.`;
}

function tooLarge(length: number): string {
  return `The result has ${length} characters, more than the memory of the code can hold. Ask for less of it.`;
}

function failed(text: string): CodeEnd {
  return { ok: false, text, from: null, logs: [], spent: true };
}

/** Counts the time in which the thread computes: from a message to it until it has read the last one and waits. */
function createWatch(clock: Clock, left: number, onOver: () => void) {
  let since: number | null = null;
  let sent = 0;
  let rest = left;
  let timer: ReturnType<Clock["setTimeout"]> | null = null;
  const pause = (): void => {
    if (since !== null) rest -= clock.now() - since;
    since = null;
  };
  /** One timer serves many calls: if it fires too early, it is set again. */
  const ring = (): void => {
    timer = null;
    if (since === null) return;
    const more = rest - (clock.now() - since);
    if (more <= 0) onOver();
    else timer = clock.setTimeout(ring, more);
  };
  return {
    stop(): void {
      if (timer !== null) clock.clearTimeout(timer);
      timer = null;
      pause();
    },
    sent(): void {
      sent += 1;
      if (since !== null) return;
      since = clock.now();
      timer ??= clock.setTimeout(ring, Math.max(0, rest));
    },
    /** Returns whether the thread waits and has read everything. */
    read(count: number): boolean {
      if (count === sent) pause();
      return count === sent;
    },
    /** Adds time that was computed for it elsewhere. */
    charge(computed: number): void {
      rest -= computed;
    },
  };
}
