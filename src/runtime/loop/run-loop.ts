import type { HistoryMessage, UserPart } from "../../core/call/message.ts";
import type { SessionEvents } from "../../core/events/event-types.ts";
import type { RunStopReason } from "../../core/events/turn-events.ts";
import type { TokenUsage } from "../models/model.ts";
import { ModelError } from "../models/model-error.ts";
import { costOf } from "../models/prices.ts";
import { askModel, type ModelReply } from "./ask-model.ts";
import { compact, isNearEnd } from "./compact.ts";
import type { LoopSetting, RunLimits } from "./loop-session.ts";
import type { RunHooks } from "./run-hooks.ts";

/** What a run has used so far. */
export interface RunTotals extends TokenUsage {
  readonly turns: number;
  /** US dollars; null where the price of the model is not known. */
  readonly cost: number | null;
}

export interface RunEnd {
  readonly stopReason: RunStopReason;
  /** What the model said last. */
  readonly text: string;
  readonly totals: RunTotals;
}

/** A message that arrives while the run goes on. */
export interface Steered {
  readonly messageId: string;
  readonly content: readonly UserPart[];
  readonly source: SessionEvents["user.message"]["source"];
}

export interface LoopRun {
  readonly messageId: string;
  readonly limits: RunLimits;
  readonly signal: AbortSignal;
  /** Messages that join at the next request; taken once. */
  takeSteered(): readonly Steered[];
  readonly hooks: RunHooks;
}

export const NOTHING_USED: RunTotals = { turns: 0, input: 0, output: 0, cached: 0, written: 0, cost: 0 };

/** One run: ask, run calls, ask again, until the model is done or something else ends it. The message is said already. */
export async function runLoop(setting: LoopSetting, run: LoopRun): Promise<RunEnd> {
  const { session } = setting;
  const started = setting.now();
  let totals = NOTHING_USED;
  let text = "";
  let counted: { tokens: number; messages: number } | null = null;
  let origin = run.messageId;
  let sentOn = 0;
  const end = (stopReason: RunStopReason): RunEnd => ({ stopReason, text, totals });
  for (;;) {
    for (const said of run.takeSteered()) {
      session.emit("user.message", said);
      origin = said.messageId;
    }
    const over = overLimit(run.limits, totals, setting.now() - started);
    if (over !== null) return end(over);
    if (
      isNearEnd(setting, messagesOf(setting), counted) &&
      (await compact(setting, "threshold", run.signal, run.hooks))
    )
      counted = null;
    const reply = await askOrCompact(setting, run, origin);
    totals = addUsage(totals, reply.usage, setting);
    tellUsage(setting, reply.usage);
    text = textOf(reply) || text;
    if (reply.usage !== null)
      counted = { tokens: reply.usage.input + reply.usage.output, messages: messagesOf(setting).length - 1 };
    run.signal.throwIfAborted();
    const stopped = stopOf(reply);
    if (stopped === null) continue;
    if (stopped !== "end") return end(stopped);
    if (await goesOn(setting, run, sentOn)) sentOn += 1;
    else return end("end");
  }
}

/** How often hooks may send a model on that wants to stop. */
const SENT_ON = 10;

/** Whether something keeps the run going: a hook, or a message that came in the meantime. */
async function goesOn({ session, newId }: LoopSetting, run: LoopRun, sentOn: number): Promise<boolean> {
  const more = sentOn < SENT_ON ? await run.hooks.stopping(sentOn > 0) : null;
  if (more !== null)
    session.emit("user.message", { messageId: newId(), content: [{ type: "text", text: more }], source: "hook" });
  const steered = run.takeSteered();
  for (const said of steered) session.emit("user.message", said);
  return more !== null || steered.length > 0;
}

function messagesOf({ session }: LoopSetting): readonly HistoryMessage[] {
  return session.history().map(({ message }) => message);
}

/** A context that is full in the provider's eyes is shortened once, and the request made again. */
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
  if (stop.reason === "malformed")
    throw new ModelError(`the model's calls cannot be read (${stop.raw ?? "malformed"})`);
  return content.some(({ type }) => type === "call") ? null : "end";
}

function textOf({ content }: ModelReply): string {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

function overLimit({ turns, tokens, cost, time }: RunLimits, totals: RunTotals, passed: number): RunStopReason | null {
  if (turns !== null && totals.turns >= turns) return "max-turns";
  if (tokens !== null && totals.input + totals.output >= tokens) return "max-tokens";
  if (cost !== null && (totals.cost === null || totals.cost >= cost)) return "max-cost";
  return time !== null && passed >= time ? "max-time" : null;
}

function addUsage(totals: RunTotals, used: TokenUsage | null, { price }: LoopSetting): RunTotals {
  const { input = 0, output = 0, cached = 0, written = 0 } = used ?? {};
  return {
    turns: totals.turns + 1,
    input: totals.input + input,
    output: totals.output + output,
    cached: totals.cached + cached,
    written: totals.written + written,
    cost:
      price === null || totals.cost === null ? null : totals.cost + costOf({ input, output, cached, written }, price),
  };
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
