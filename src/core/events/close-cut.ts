import type { AnsweredCall } from "../call/message.ts";
import { sortCutCalls } from "./cut-calls.ts";
import type { KnownEvent } from "./envelope.ts";
import type { SessionEvents } from "./event-types.ts";
import type { JournalState } from "./journal-state.ts";

type Completion = SessionEvents["tool.execution_complete"];

/** A call that waits for a person, as it was made. */
export interface WaitingCall {
  readonly id: string;
  readonly toolName: string;
  readonly arguments: unknown;
  readonly questionId: string;
}

/** How a resumed session ends the calls that its last process left open. */
export interface CutEndings {
  /** Calls that ran or were about to: reported at once. */
  readonly ended: readonly Completion[];
  /** Calls that wait for a person, and keep waiting. */
  readonly waiting: readonly WaitingCall[];
  /** Questions asked from within work that is gone: they no longer need an answer. */
  readonly withdrawn: readonly string[];
}

/**
 * Nothing is run again automatically: a call that reached its source may have had its effect (S5). With `abandon`
 * nothing keeps waiting either.
 */
export function endCut(state: JournalState, events: readonly KnownEvent[], abandon = false): CutEndings {
  const { interrupted, unstarted, waiting } = sortCutCalls(state);
  const ended = [
    ...(abandon ? [...waiting].map(([id, { toolName }]) => toEnd(id, toolName, NOT_ANSWERED)) : []),
    ...[...interrupted].map(([id, { toolName }]) => toEnd(id, toolName, INTERRUPTED)),
    ...[...unstarted].map(([id, { toolName }]) => toEnd(id, toolName, NOT_STARTED)),
  ];
  const made = new Map(
    events.flatMap(({ type, data }) => (type === "tool.execution_start" ? [[data.toolCallId, data.arguments]] : [])),
  );
  return {
    ended,
    waiting: [...(abandon ? [] : waiting)].map(([id, { toolName, questionId }]) => ({
      id,
      toolName,
      questionId,
      arguments: made.get(id) ?? {},
    })),
    withdrawn: [...state.questions].flatMap(([id, { kind }]) => (kind === "elicitation" ? [id] : [])),
  };
}

/** How a waiting call ends when the conversation continues without its answer. */
export function endUnanswered({ id, toolName }: WaitingCall): Completion {
  return toEnd(id, toolName, NOT_ANSWERED);
}

function toEnd(toolCallId: string, toolName: string, text: string): Completion {
  return {
    toolCallId,
    toolName,
    arguments: {},
    success: false,
    resultType: "failure",
    content: text,
    error: text,
    sessionLog: null,
    toolTelemetry: null,
    cancelledBy: "shutdown",
    duration: 0,
    sentToModel: true,
  };
}

/** The result that the model reads of a call. */
function toResult({ content, resultType, cancelledBy, code }: Completion): AnsweredCall["result"] {
  return {
    textResultForLlm: content,
    resultType,
    ...(cancelledBy === null ? {} : { cancelledBy }),
    ...(code === undefined ? {} : { code }),
  };
}

const INTERRUPTED =
  "interrupted: the process that ran this call ended before its result came. It may or may not have taken effect.";
const NOT_STARTED = "interrupted: the process ended before this call could start. It did not run.";
const NOT_ANSWERED = "interrupted: the process ended while this call waited for an answer. It did not run.";

/** The answers to the model's last message if no event has them: no provider accepts calls without answers. */
export function findAnswers(events: readonly KnownEvent[]): readonly AnsweredCall[] {
  const own = events.filter(({ agent }) => agent === null);
  const at = own.findLastIndex(({ type }) => type === "assistant.message" || type === "tool.answers");
  const last = own[at];
  if (last?.type !== "assistant.message") return [];
  const known = new Map<string, Completion>();
  for (const { type, data } of own.slice(at)) if (type === "tool.execution_complete") known.set(data.toolCallId, data);
  return last.data.content.flatMap((part): readonly AnsweredCall[] => {
    if (part.type !== "call") return [];
    const { id, toolName } = part.call;
    const ended = known.get(id) ?? toEnd(id, toolName, NOT_STARTED);
    return [{ call: { id, toolName }, result: toResult(ended) }];
  });
}

/** The input of a run that its process never finished, if the model still had something to answer; else null. */
export function findCutRun(events: readonly KnownEvent[]): SessionEvents["user.message"] | null {
  const own = events.filter(({ agent }) => agent === null);
  const at = own.findLastIndex(({ type }) => type === "user.message");
  const said = own[at];
  return said?.type !== "user.message" || own.slice(at).some(isLast) ? null : said.data;
}

function isLast(event: KnownEvent): boolean {
  if (event.type === "assistant.message") return event.data.content.every(({ type }) => type !== "call");
  return event.type === "session.idle" || event.type === "history.truncated";
}
