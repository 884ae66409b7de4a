import type { AnsweredCall, AssistantPart, HistoryMessage } from "../../core/call/message.ts";
import { mapEach } from "../../core/dialects/stream/map-each.ts";
import type { StreamPart } from "../../core/dialects/stream/stream-part.ts";
import { backoffDelay } from "../../system/time/backoff.ts";
import { pause } from "../../system/time/until-aborted.ts";
import type { ModelRequest, TokenUsage } from "../models/model.ts";
import { ModelError } from "../models/model-error.ts";
import type { LoopAnswer, LoopSetting } from "./loop-session.ts";

/** The outcome of one request to the model. */
export interface ModelReply {
  readonly content: readonly AssistantPart[];
  readonly answers: readonly LoopAnswer[];
  readonly stop: Stop;
  readonly usage: TokenUsage | null;
}

/** How long a request waits before it is retried. */
const BACKOFF = { backoffFirst: 500, backoffMost: 30_000 };
/** A provider that asks for a longer wait counts as unreachable. */
const LONGEST_WAIT = 120_000;

/**
 * Asks the model and runs its calls. Temporary failures are retried; a reply that was cut off leaves nothing behind
 * (T3, X6).
 */
export async function askModel(
  setting: LoopSetting,
  history: readonly HistoryMessage[],
  originatingMessageId: string | null,
  signal: AbortSignal,
): Promise<ModelReply> {
  const { emit } = setting.session;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await askOnce(setting, history, originatingMessageId, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ModelError) || !error.isPassing || attempt >= setting.attempts) throw error;
      const delay = error.retryAfter ?? backoffDelay(attempt - 1, Math.random(), BACKOFF);
      if (delay > LONGEST_WAIT) throw error;
      emit("assistant.retry", { attempt, of: setting.attempts, delay, message: error.message });
      await pause(setting.clock, delay, signal);
    }
  }
}

async function askOnce(
  setting: LoopSetting,
  history: readonly HistoryMessage[],
  originatingMessageId: string | null,
  signal: AbortSignal,
): Promise<ModelReply> {
  const { session, model } = setting;
  const payload = session.payload(model.wire, history);
  await session.stored();
  const watch = model.watch();
  const messageId = setting.newId();
  const collector = createCollector();
  const onPart = (part: StreamPart): void => {
    if (part.type === "text" || part.type === "refusal")
      session.emit("assistant.message_delta", { messageId, deltaContent: part.text });
    collector.push(part);
    if (part.type !== "stop" || !isWhole(part)) return;
    // Emitted before its calls run: the journal never contains a call that no message made.
    const content = collector.content(part.confirmed);
    const native = collector.isWhole && part.confirmed ? watch.native : null;
    if (content.length > 0)
      session.emit("assistant.message", {
        messageId,
        originatingMessageId,
        content,
        native,
        model: model.id,
        stop: part.raw,
      });
  };
  const events = mapEach(model.stream(toModelRequest(setting, payload, history), signal), (event) => {
    const thought = watch.push(event);
    if (thought !== null && thought !== "")
      session.emit("assistant.reasoning_delta", { messageId, deltaContent: thought });
    return event;
  });
  const answers: LoopAnswer[] = [];
  for await (const answer of session.execute(events, { payload, signal, onPart })) answers.push(answer);
  const { stop } = collector;
  if (stop === null || !isWhole(stop)) throw new ModelError(sayBroken(stop), { isPassing: true });
  const sent = answers.filter(({ sendToModel }) => sendToModel !== false);
  if (sent.length > 0) session.emit("tool.answers", { answers: sent.map(toStored) });
  return { content: collector.content(stop.confirmed), answers: sent, stop, usage: watch.usage };
}

type Stop = Extract<StreamPart, { type: "stop" }>;

/**
 * A reply that broke off, or whose calls the provider itself could not read, does not count; one that was too long or
 * refused does.
 */
function isWhole({ reason }: Stop): boolean {
  return reason !== "cut" && reason !== "error" && reason !== "malformed";
}

function sayBroken(stop: Stop | null): string {
  if (stop?.reason !== "malformed") return "the reply broke off";
  return `the model's calls cannot be read (${stop.raw ?? "malformed"})`;
}

/** Only what goes back to the model. */
function toStored({ call, result, loaded, additionalContext }: LoopAnswer): AnsweredCall {
  return {
    call: { id: call.id, toolName: call.toolName },
    result,
    ...(loaded === undefined ? {} : { loaded }),
    ...(additionalContext === undefined ? {} : { additionalContext }),
  };
}

export function toModelRequest(
  { session, agent, effort, schema }: LoopSetting,
  payload: ModelRequest["payload"],
  history: readonly HistoryMessage[],
): ModelRequest {
  return { payload, history, agent, maxTokens: null, effort, system: session.prompt(), schema, cacheKey: session.id };
}

interface Collector {
  push(part: StreamPart): void;
  /** Text and calls in order; without the calls if the model did not confirm them. */
  content(isConfirmed: boolean): readonly AssistantPart[];
  readonly stop: Stop | null;
  /** No call was withdrawn. */
  readonly isWhole: boolean;
}

function createCollector(): Collector {
  const parts: AssistantPart[] = [];
  const dropped = new Set<string>();
  let stop: Collector["stop"] = null;
  return {
    push(part) {
      const last = parts.at(-1);
      if (part.type === "text" || part.type === "refusal") {
        if (last?.type === "text") parts[parts.length - 1] = { type: "text", text: last.text + part.text };
        else if (part.text !== "") parts.push({ type: "text", text: part.text });
      } else if (part.type === "call") parts.push({ type: "call", call: part.call });
      else if (part.type === "dropped") for (const id of part.ids) dropped.add(id);
      else if (part.type === "stop") stop = part;
    },
    content: (isConfirmed) =>
      parts.filter((part) => part.type === "text" || (isConfirmed && !dropped.has(part.call.id))),
    get stop() {
      return stop;
    },
    get isWhole() {
      return dropped.size === 0;
    },
  };
}
