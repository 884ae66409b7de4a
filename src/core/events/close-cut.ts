import type { AnsweredCall } from "../call/message.ts";
import { sortCutCalls } from "./cut-calls.ts";
import type { KnownEvent } from "./envelope.ts";
import type { SessionEvents } from "./event-types.ts";
import type { JournalState } from "./journal-state.ts";

type Completion = SessionEvents["tool.execution_complete"];

/** How a session that is resumed ends what its last process left open. */
export interface CutEndings {
  /** Calls that ran or were about to: told at once. */
  readonly ended: readonly Completion[];
  /** Calls that wait for somebody: told when the conversation goes on without their answer. */
  readonly waiting: readonly Completion[];
  /** What the model hears of all calls that it made last, where it has not heard yet; told with those. */
  readonly answers: readonly AnsweredCall[];
}

/** Nothing runs again by itself: a call whose source was asked may have had its effect (S5). */
export function endCut(state: JournalState, events: readonly KnownEvent[]): CutEndings {
  const { interrupted, unstarted, waiting } = sortCutCalls(state);
  const end =
    (text: string) =>
    ([toolCallId, { toolName }]: [string, { readonly toolName: string }]): Completion => ({
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
    });
  const ended = [...[...interrupted].map(end(INTERRUPTED)), ...[...unstarted].map(end(NOT_STARTED))];
  const unanswered = [...waiting].map(end(NOT_ANSWERED));
  return { ended, waiting: unanswered, answers: findAnswers(events, [...ended, ...unanswered]) };
}

const INTERRUPTED =
  "interrupted: the process that ran this call ended before its result came. It may or may not have taken effect.";
const NOT_STARTED = "interrupted: the process ended before this call could start. It did not run.";
const NOT_ANSWERED = "interrupted: the process ended while this call waited for an answer. It did not run.";

/** The answers to the last message of the model, where no event has them: no provider takes calls without answers. */
function findAnswers(events: readonly KnownEvent[], endings: readonly Completion[]): readonly AnsweredCall[] {
  const at = events.findLastIndex(({ type }) => type === "assistant.message" || type === "tool.answers");
  const last = events[at];
  if (last?.type !== "assistant.message") return [];
  const known = new Map<string, Completion>();
  for (const event of events.slice(at)) {
    if (event.type === "tool.execution_complete") known.set(event.data.toolCallId, event.data);
  }
  for (const ending of endings) known.set(ending.toolCallId, ending);
  return last.data.content.flatMap((part): readonly AnsweredCall[] => {
    if (part.type !== "call") return [];
    const { id, toolName } = part.call;
    const { content, resultType } = known.get(id) ?? { content: NOT_STARTED, resultType: "failure" };
    return [{ call: { id, toolName }, result: { textResultForLlm: content, resultType } }];
  });
}
