import type { Call } from "../../../core/call/call.ts";
import { loadedBy } from "../../../core/dialects/contract/dialect.ts";
import { dialectOf, goOnFor, type PayloadOf, payloadFor, resultsFor } from "../../../core/dialects/dialects.ts";
import type { DialectName } from "../../../core/dialects/limits/limits.ts";
import { mapEach } from "../../../core/dialects/stream/map-each.ts";
import type { StreamPart } from "../../../core/dialects/stream/stream-part.ts";
import type { Emitter } from "../../events/emitter.ts";
import { cancelled } from "../../executor/cancellation.ts";
import { shareSignal } from "../../executor/given-signal.ts";
import type { Outcome } from "../../executor/outcome.ts";
import type { OpenSession } from "../tools/session.ts";
import type {
  ReplyOptions,
  ReplyResult,
  Results,
  ResultsOptions,
  SessionPayloadOptions,
} from "./conversation-types.ts";
import { createPayloads, type Sent } from "./payloads.ts";
import { readReply } from "./read-reply.ts";

/** The conversation with one model: what a request sends, what its reply calls, what goes back. */
export interface ModelExchange {
  payload<Name extends DialectName>(dialect: Name, options?: SessionPayloadOptions): PayloadOf<Name>;
  /** The same object as long as it would say the same, for who changes nothing of it; with what the history loads. */
  payloadAgain<Name extends DialectName>(dialect: Name, promoted: ReadonlySet<string>): PayloadOf<Name>;
  execute(reply: unknown, options?: ReplyOptions): AsyncGenerator<ReplyResult, void, void>;
  /** The same, as they came out of the executor. */
  outcomes(reply: unknown, options?: ReplyOptions): AsyncGenerator<Outcome, void, void>;
  results<Name extends DialectName>(dialect: Name, options?: ResultsOptions): Results<Name>;
}

interface Reply {
  readonly sent: Sent;
  readonly outcomes: Outcome[];
  /** The model stopped for calls, of this program or of others. */
  isWaiting: boolean;
  isOver: boolean;
}

const NO_SUCH_PAYLOAD = "this session made no such payload";

export function createExchange(
  session: Pick<OpenSession, "request" | "executeCalls" | "nextTurn" | "loadsInto">,
  emit: Emitter["emit"],
): ModelExchange {
  const sent = createPayloads(session, emit);
  let lastReply: Reply | null = null;
  const replies = new WeakMap<object, Reply>();

  const findSent = ({ payload, dialect }: ReplyOptions): Sent => {
    const known = payload === undefined ? undefined : sent.of(payload);
    if (payload !== undefined && known === undefined) throw new TypeError(NO_SUCH_PAYLOAD);
    const wanted = known ?? sent.last(dialect);
    if (wanted !== null) return wanted;
    if (dialect === undefined)
      throw new TypeError('say whose reply this is: call session.payload("anthropic") first, or pass { dialect }');
    sent.make(dialect);
    return findSent({ dialect });
  };

  const outcomes: ModelExchange["outcomes"] = (given, options = {}) => {
    const asked = findSent(options);
    // Read from here on, not from the first look at the results: some streams lose what nobody listens to.
    const seen = watchCalls(readReply(given, dialectOf(asked.dialect), asked.payload.names), options.onPart);
    const started: Reply = { sent: asked, outcomes: [], isWaiting: false, isOver: false };
    lastReply = started;
    replies.set(asked.payload, started);
    return execute(session, started, seen, options);
  };

  return {
    payload: sent.make,
    payloadAgain: sent.again,
    outcomes,
    execute: (given, options) => toResults(outcomes(given, options)),
    results(dialect, { payload: answered } = {}) {
      dialectOf(dialect);
      if (answered !== undefined && sent.of(answered) === undefined) throw new TypeError(NO_SUCH_PAYLOAD);
      const reply = answered === undefined ? lastReply : (replies.get(answered) ?? null);
      if (reply === null) return withEnd([], false);
      if (!reply.isOver)
        throw new TypeError("the reply is still being executed: go through session.execute() to its end");
      const { sent: asked, outcomes } = reply;
      const payload = asked.dialect === dialect ? asked.payload : payloadFor(dialect, asked.request.toolset);
      for (const outcome of outcomes) sent.refer(loadedBy(outcome, payload));
      const endTurn = outcomes.some((outcome) => outcome.endTurn);
      const messages = resultsFor(dialect, outcomes, payload);
      if (messages.length === 0 && reply.isWaiting && asked.dialect === dialect) messages.push(...goOnFor(dialect));
      return withEnd(messages, endTurn);
    },
  };
}

interface SeenCalls {
  readonly parts: AsyncIterable<StreamPart>;
  readonly calls: Call[];
  isConfirmed: boolean;
  isWaiting: boolean;
}

function watchCalls(given: AsyncIterable<StreamPart>, onPart: ReplyOptions["onPart"]): SeenCalls {
  const parts = mapEach(given, (part) => {
    if (part.type === "call") seen.calls.push(part.call);
    if (part.type === "stop") {
      seen.isConfirmed = part.confirmed;
      seen.isWaiting = part.reason === "calls";
    }
    onPart?.(part);
    return part;
  });
  const seen: SeenCalls = { parts, calls: [], isConfirmed: false, isWaiting: false };
  return seen;
}

async function* toResults(outcomes: AsyncIterable<Outcome>): AsyncGenerator<ReplyResult, void, void> {
  for await (const { result, ...rest } of outcomes) yield { ...result, ...rest };
}

async function* execute(
  session: Pick<OpenSession, "executeCalls" | "nextTurn">,
  reply: Reply,
  seen: SeenCalls,
  { signal }: ReplyOptions,
): AsyncGenerator<Outcome, void, void> {
  const { sent, outcomes } = reply;
  const stop = new AbortController();
  const onAbort = (): void => stop.abort();
  if (signal?.aborted) stop.abort();
  if (signal !== undefined) shareSignal(signal).addEventListener("abort", onAbort, { once: true });
  const running = session.executeCalls(sent.request, seen.parts, { signal: stop.signal });
  let isRead = false;
  try {
    for (let next = await running.next(); next.done !== true; next = await running.next()) {
      outcomes.push(next.value);
      yield next.value;
    }
    isRead = true;
  } finally {
    if (!isRead) {
      // A reader that stops early still owes the model one result for each confirmed call (X1).
      stop.abort();
      outcomes.push(...(await restOf(running)));
    }
    const answered = new Set(outcomes.map(({ call }) => call.id));
    for (const call of seen.calls) if (!answered.has(call.id)) outcomes.push(toGivenUp(call, seen.isConfirmed));
    signal?.removeEventListener("abort", onAbort);
    reply.isOver = true;
    reply.isWaiting = seen.isWaiting;
    if (!seen.isWaiting && !outcomes.some(({ sendToModel }) => sendToModel)) session.nextTurn();
  }
}

/** Without the error of a stream that broke: nobody looks any more, or it was thrown already. */
async function restOf(running: AsyncIterable<Outcome>): Promise<readonly Outcome[]> {
  const rest: Outcome[] = [];
  try {
    for await (const outcome of running) rest.push(outcome);
  } catch {}
  return rest;
}

function toGivenUp(call: Call, sendToModel: boolean): Outcome {
  return {
    call,
    result: cancelled("user", true),
    arguments: call.arguments,
    additionalContext: [],
    sendToModel,
    endTurn: false,
  };
}

/** A list that can be spread into a history, with one thing to know beside it. */
function withEnd<Message>(messages: Message[], endTurn: boolean): Message[] & { readonly endTurn: boolean } {
  return Object.defineProperty(messages, "endTurn", { value: endTurn }) as Message[] & { readonly endTurn: boolean }; // As just defined.
}
