import { randomBytes } from "node:crypto";
import type { SessionEvent } from "../../core/events/envelope.ts";
import type { Span } from "./otlp.ts";
import { readTraceParent } from "./traceparent.ts";

/** Spans of whole turns: one for each message, below it one for each request to the model and each call. */
export interface TurnSpans {
  /** The next turn of a session belongs to the caller's trace (`traceparent` of W3C Trace Context). */
  continueFrom(sessionId: string, traceparent: string): void;
  record(sessionId: string, event: SessionEvent): void;
}

export interface TurnSpansOptions {
  readonly add: (span: Span) => void;
  /** What is said and returned is part of the spans, too. */
  readonly captures: boolean;
}

/** A turn of an agent that has not ended. */
interface Turn {
  readonly sessionId: string;
  readonly agent: string | null;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly start: number;
  /** What the model is told with its next request. */
  said: object[];
  request: { readonly spanId: string; readonly start: number } | null;
}

type EventOf<Name extends SessionEvent["type"]> = Extract<SessionEvent, { readonly type: Name }>;
type Reply = EventOf<"assistant.message">["data"];

/** Turns of all sessions together; an older one that never ended is given up. */
const MOST_TURNS = 10_000;
/** Characters of one attribute. */
const MOST_CONTENT = 64 * 1024;

export function createTurnSpans({ add, captures }: TurnSpansOptions): TurnSpans {
  const turns = new Map<string, Turn>();
  const parents = new Map<string, string>();
  const keyOf = (sessionId: string, agent: string | null): string => JSON.stringify([sessionId, agent]);

  const open = (sessionId: string, { agent, at }: SessionEvent): Turn => {
    const above = agent === null ? undefined : turns.get(keyOf(sessionId, null));
    const turn = newTurn(sessionId, agent, at, above ?? readTraceParent(parents.get(sessionId) ?? ""));
    const [oldest] = turns.size >= MOST_TURNS ? turns.keys() : [];
    if (oldest !== undefined) turns.delete(oldest);
    turns.set(keyOf(sessionId, agent), turn);
    return turn;
  };
  const endRequest = (turn: Turn, at: number, reply: Reply | null): void => {
    if (turn.request !== null) add(toRequestSpan(turn, turn.request, at, reply, captures));
    turn.request = null;
    turn.said = [];
  };
  const end = (turn: Turn | undefined, at: number, error: string | null): void => {
    if (turn === undefined) return;
    if (turn.request !== null) endRequest(turn, at, null);
    turns.delete(keyOf(turn.sessionId, turn.agent));
    if (turn.agent === null) parents.delete(turn.sessionId);
    add(toTurnSpan(turn, at, error));
  };
  const say = (turn: Turn, message: object): void => void (captures && turn.said.push(message));

  return {
    continueFrom: (sessionId, traceparent) => void parents.set(sessionId, traceparent),
    record(sessionId, event) {
      const turn = turns.get(keyOf(sessionId, event.agent));
      switch (event.type) {
        case "user.message": {
          const parts = event.data.content.filter(({ type }) => type === "text");
          return say(turn ?? open(sessionId, event), { role: "user", parts });
        }
        case "assistant.turn_start":
          (turn ?? open(sessionId, event)).request = { spanId: newSpanId(), start: event.at };
          return;
        case "assistant.message":
          return turn && endRequest(turn, event.at, event.data);
        case "tool.execution_complete": {
          if (turn === undefined) return;
          const { toolCallId: id, content: result } = event.data;
          say(turn, { role: "tool", parts: [{ type: "tool_call_response", id, result }] });
          return add(toCallSpan(turn, event, captures));
        }
        case "session.idle":
        case "subagent.completed":
          return end(turn, event.at, null);
        case "session.error":
        case "subagent.failed":
          return end(turn, event.at, "failed");
        default:
          return;
      }
    },
  };
}

function newTurn(
  sessionId: string,
  agent: string | null,
  start: number,
  parent: { readonly traceId: string; readonly spanId: string } | null,
): Turn {
  return {
    ...{ sessionId, agent, start, said: [], request: null, spanId: newSpanId() },
    traceId: parent?.traceId ?? randomBytes(16).toString("hex"),
    parentSpanId: parent?.spanId ?? null,
  };
}

function toTurnSpan(turn: Turn, end: number, error: string | null): Span {
  const { traceId, spanId, parentSpanId, start, agent } = turn;
  return {
    ...{ traceId, spanId, parentSpanId, start, end, error, kind: "internal", name: "invoke_agent" },
    attributes: attributesOf("invoke_agent", turn, agent === null ? [] : [["gen_ai.agent.id", agent]]),
  };
}

function toRequestSpan(
  turn: Turn,
  request: NonNullable<Turn["request"]>,
  end: number,
  reply: Reply | null,
  captures: boolean,
): Span {
  const { traceId, spanId: parentSpanId, said } = turn;
  const name = reply === null ? "chat" : `chat ${reply.model}`;
  const error = reply === null ? "failed" : null;
  return {
    ...{ ...request, traceId, parentSpanId, end, error, kind: "client", name },
    attributes: attributesOf("chat", turn, [
      ...(reply === null ? [] : [["gen_ai.request.model", reply.model] as const]),
      ...(captures ? [["gen_ai.input.messages", toContent(said)] as const] : []),
      ...(captures && reply !== null ? [["gen_ai.output.messages", toContent([toMessage(reply)])] as const] : []),
    ]),
  };
}

function toCallSpan(turn: Turn, { data, at }: EventOf<"tool.execution_complete">, captures: boolean): Span {
  const { toolCallId, toolName, resultType, duration, success, content } = data;
  const { traceId, spanId: parentSpanId } = turn;
  return {
    ...{ traceId, spanId: newSpanId(), parentSpanId, start: at - duration, end: at, kind: "internal" },
    name: `execute_tool ${toolName}`,
    error: success ? null : resultType,
    attributes: attributesOf("execute_tool", turn, [
      ["gen_ai.tool.name", toolName],
      ["gen_ai.tool.call.id", toolCallId],
      ...(success ? [] : [["error.type", resultType] as const]),
      ...(captures ? [["gen_ai.tool.call.arguments", toContent(data.arguments)] as const] : []),
      ...(captures ? [["gen_ai.tool.call.result", content.slice(0, MOST_CONTENT)] as const] : []),
    ]),
  };
}

function attributesOf(operation: string, { sessionId }: Turn, more: readonly (readonly [string, string])[]) {
  return new Map([["gen_ai.operation.name", operation], ["gen_ai.conversation.id", sessionId], ...more]);
}

function newSpanId(): string {
  return randomBytes(8).toString("hex");
}

function toMessage({ content }: Reply): object {
  const parts = content.map((part) =>
    part.type === "call"
      ? { type: "tool_call", id: part.call.id, name: part.call.toolName, arguments: part.call.arguments }
      : part,
  );
  return { role: "assistant", parts };
}

function toContent(value: unknown): string {
  return (JSON.stringify(value) ?? "").slice(0, MOST_CONTENT);
}
