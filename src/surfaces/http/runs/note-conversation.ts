import type { UserPart } from "../../../core/call/message.ts";
import type { SessionEvent } from "../../../core/events/envelope.ts";
import { cutCopy } from "../api/shown-value.ts";
import { addUsed } from "./run-parts.ts";
import { MOST, type RunBook, type RunTurn } from "./run-record.ts";

const LONGEST_PROMPT = 500;

/** Messages to and from a model, in pieces and whole. */
export function noteConversation(book: RunBook, event: SessionEvent): boolean {
  const { turnOf, touch } = book;
  switch (event.type) {
    case "user.message":
      return noteSaid(book, event);
    case "system.notification":
      if (event.agent === null) resume(book);
      return book.remark(event, event.data.content);
    case "assistant.turn_start":
      book.begin(event);
      return true;
    case "assistant.message_delta":
      write(book, turnOf(event), event.data.deltaContent);
      return true;
    case "assistant.reasoning_delta": {
      const turn = turnOf(event);
      const before = turn.thoughts.length;
      turn.thoughts += event.data.deltaContent.slice(0, Math.max(0, MOST.said - before));
      touch(turn, turn.thoughts.length - before);
      return true;
    }
    case "assistant.message": {
      const turn = turnOf(event);
      turn.model = book.record.model = event.data.model;
      // The whole message counts, and replaces its pieces.
      erase(book, turn);
      write(book, turn, event.data.content.map((part) => (part.type === "text" ? part.text : "")).join(""));
      turn.isStreaming = false;
      return true;
    }
    case "assistant.turn_end": {
      const turn = turnOf(event);
      turn.isStreaming = false;
      touch(turn);
      return true;
    }
    case "assistant.usage":
      return noteUsage(book, event);
    case "assistant.retry": {
      erase(book, turnOf(event));
      const { message, delay, attempt, of } = event.data;
      return book.remark(
        event,
        `${message}; asking again in ${Math.ceil(delay / 1_000)} s (${attempt} of ${of})`,
        "warn",
      );
    }
    default:
      return false;
  }
}

type EventOf<Type> = Extract<SessionEvent, { readonly type: Type }>;

function noteSaid(book: RunBook, event: EventOf<"user.message">): true {
  const { record } = book;
  const { source, content } = event.data;
  const text = cutCopy(textOf(content), MOST.said);
  if (event.agent === null) resume(book);
  if (event.agent === null && source === "user" && record.prompt === "") record.prompt = cutCopy(text, LONGEST_PROMPT);
  book.add(event, { kind: "said", by: source, text }, text.length);
  return true;
}

function noteUsage({ record, turnOf, touch }: RunBook, event: EventOf<"assistant.usage">): true {
  const { inputTokens: input, outputTokens: output, cachedTokens: cached, cost, model } = event.data;
  const used = { requests: 1, input, output, cached, cost };
  const agent = record.agents.get(event.agent);
  if (agent !== undefined) agent.used = addUsed(agent.used, used);
  record.model ??= model;
  const turn = turnOf(event);
  turn.used = used;
  touch(turn);
  return true;
}

function resume({ record }: RunBook): void {
  [record.isRunning, record.stopReason, record.error] = [true, null, null];
  const own = record.agents.get(null);
  if (own !== undefined) own.state = "running";
}

function write({ touch }: RunBook, turn: RunTurn, text: string): void {
  const before = turn.text.length;
  turn.text += text.slice(0, Math.max(0, MOST.text - before));
  turn.hidden += text.length - (turn.text.length - before);
  touch(turn, turn.text.length - before);
}

function erase({ touch }: RunBook, turn: RunTurn): void {
  touch(turn, -turn.text.length);
  [turn.text, turn.hidden] = ["", 0];
}

function textOf(content: readonly UserPart[]): string {
  return content.map((part) => (part.type === "text" ? part.text : `[${part.name ?? part.mimeType}]`)).join("\n");
}
