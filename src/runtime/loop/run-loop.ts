import type { HistoryMessage } from "../../core/call/message.ts";
import type { RunStopReason } from "../../core/events/turn-events.ts";
import type { TokenUsage } from "../models/model.ts";
import { ModelError } from "../models/model-error.ts";
import { costOf } from "../models/prices.ts";
import { askModel, type ModelReply } from "./ask-model.ts";
import { compact, isNearEnd } from "./compact.ts";
import { addMessage, type InputMessage } from "./input-message.ts";
import type { HistoryItem, LoopSetting } from "./loop-session.ts";
import type { RunHooks } from "./run-hooks.ts";
import { addTotals, addUsage, NOTHING_USED, type RunTotals, withoutTotals } from "./run-totals.ts";
import type { RunEnd, RunLimits } from "./run-types.ts";

export interface LoopRun {
  readonly messageId: string;
  readonly limits: RunLimits;
  readonly signal: AbortSignal;
  /** Messages that join the next request, and keep a run going that would end; taken once. */
  takeSteered(): readonly InputMessage[];
  /** Notes for the next request that are no reason to make one; taken once. */
  takeNotes(): readonly InputMessage[];
  readonly hooks: RunHooks;
}

/**
 * One run: ask, run calls, ask again, until the model is done or something else ends it. The message has already been
 * added.
 */
export async function runLoop(setting: LoopSetting, run: LoopRun): Promise<RunEnd> {
  const clock = limitTime(setting, run);
  try {
    return await goThrough(setting, { ...run, signal: clock.signal });
  } finally {
    clock.stop();
  }
}

async function goThrough(setting: LoopSetting, run: LoopRun): Promise<RunEnd> {
  const { session } = setting;
  const before = setting.usedBelow();
  let own = NOTHING_USED;
  let text = "";
  let counted: { tokens: number; messages: number } | null = null;
  let origin = run.messageId;
  let sentOn = 0;
  const total = (): RunTotals => ({ ...addTotals(own, withoutTotals(setting.usedBelow(), before)), turns: own.turns });
  const end = (stopReason: RunStopReason): RunEnd => ({ stopReason, text, totals: total() });
  for (;;) {
    for (const message of [...run.takeSteered(), ...run.takeNotes()]) {
      addMessage(session.emit, message);
      origin = message.messageId;
    }
    const over = overLimit(run, total());
    if (over !== null) return end(over);
    try {
      if (
        isNearEnd(setting, messagesOf(setting), counted) &&
        (await compact(setting, "threshold", run.signal, run.hooks))
      )
        counted = null;
      const reply = await askOrCompact(setting, run, origin);
      own = addUsage(own, reply.usage, setting.price);
      tellUsage(setting, reply.usage);
      text = textOf(reply) || text;
      if (reply.usage !== null)
        counted = { tokens: reply.usage.input + reply.usage.output, messages: session.history().length - 1 };
      run.signal.throwIfAborted();
      const stopped = stopOf(reply);
      if (stopped === null) continue;
      if (stopped !== "end") return end(stopped);
      if (await goesOn(setting, run, sentOn)) sentOn += 1;
      else return end("end");
    } catch (error) {
      if (run.signal.reason === TIME_IS_UP) return end("max-time");
      throw error;
    }
  }
}

const TIME_IS_UP = new Error("the time of the run is up");

/** The time limit also ends a request or a call in progress, not only the next turn. */
function limitTime(
  { clock }: LoopSetting,
  { signal, limits }: LoopRun,
): { readonly signal: AbortSignal; stop(): void } {
  if (limits.time === null) return { signal, stop: () => {} };
  const own = new AbortController();
  const timer = clock.setTimeout(() => own.abort(TIME_IS_UP), limits.time);
  return { signal: AbortSignal.any([signal, own.signal]), stop: () => clock.clearTimeout(timer) };
}

/** How often hooks may make a model continue that wants to stop. */
const SENT_ON = 10;

/** Whether something keeps the run going: a hook, or a message that arrived in the meantime. */
async function goesOn({ session, newId }: LoopSetting, run: LoopRun, sentOn: number): Promise<boolean> {
  const more = sentOn < SENT_ON ? await run.hooks.stopping(sentOn > 0) : null;
  if (more !== null)
    session.emit("user.message", { messageId: newId(), content: [{ type: "text", text: more }], source: "hook" });
  const steered = run.takeSteered();
  for (const message of steered) addMessage(session.emit, message);
  return more !== null || steered.length > 0;
}

/** Cached by the history list: a session returns the same list until a message is added. */
const messageLists = new WeakMap<readonly HistoryItem[], readonly HistoryMessage[]>();

function messagesOf({ session }: LoopSetting): readonly HistoryMessage[] {
  const items = session.history();
  const known = messageLists.get(items);
  if (known !== undefined) return known;
  const messages = items.map(({ message }) => message);
  messageLists.set(items, messages);
  return messages;
}

/** If the provider says that the context is full, it is compacted once, and the request repeated. */
async function askOrCompact(setting: LoopSetting, run: LoopRun, origin: string): Promise<ModelReply> {
  const { session, newId } = setting;
  const turnId = newId();
  session.emit("assistant.turn_start", { turnId });
  try {
    return await askModel(setting, messagesOf(setting), origin, run.signal);
  } catch (error) {
    if (!isTooLong(error) || !(await compact(setting, "context-limit", run.signal, run.hooks))) throw error;
    return await askModel(setting, messagesOf(setting), origin, run.signal);
  } finally {
    session.emit("assistant.turn_end", { turnId });
  }
}

const TOO_LONG =
  /context.?(?:length|window)|too (?:long|many tokens)|maximum.{0,20}tokens|exceeds the (?:maximum|limit)/i;

function isTooLong(error: unknown): boolean {
  return error instanceof ModelError && (error.status === 400 || error.status === 413) && TOO_LONG.test(error.message);
}

/** Null: the model is asked again, with the answers to its calls. */
function stopOf({ stop, answers, content }: ModelReply): RunStopReason | null {
  const ending = answers.find(({ endTurn }) => endTurn);
  if (ending !== undefined) return ending.result.resultType === "success" ? "terminal-tool" : "rejected";
  if (stop.reason === "refusal") return "refusal";
  if (stop.reason === "pause") return null;
  if (stop.reason === "length") return "length";
  return content.some(({ type }) => type === "call") ? null : "end";
}

function textOf({ content }: ModelReply): string {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

function overLimit({ limits: { turns, tokens, cost }, signal }: LoopRun, totals: RunTotals): RunStopReason | null {
  if (turns !== null && totals.turns >= turns) return "max-turns";
  if (tokens !== null && totals.input + totals.output >= tokens) return "max-tokens";
  if (cost !== null && (totals.cost === null || totals.cost >= cost)) return "max-cost";
  return signal.reason === TIME_IS_UP ? "max-time" : null;
}

function tellUsage({ session, model, price }: LoopSetting, used: TokenUsage | null): void {
  if (used === null) return;
  session.emit("assistant.usage", {
    model: model.id,
    inputTokens: used.input,
    outputTokens: used.output,
    cachedTokens: used.cached,
    cost: price === null ? null : costOf(used, price),
  });
}
