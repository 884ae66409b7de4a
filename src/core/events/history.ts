import type { HistoryMessage, UserMessage } from "../call/message.ts";
import type { KnownEvent } from "./envelope.ts";
import type { SessionEvents } from "./event-types.ts";

/** One entry of what a model reads, oldest first; the event with that number holds the text. */
export interface HistoryEntry {
  readonly seq: number;
  readonly agent: string | null;
  /** Tool results were dropped to make room. */
  readonly bare?: true;
  /** It replaces everything before the event with this number. */
  readonly until?: number;
}

/** The message an event adds for the model; undefined if the model never reads it. */
export function toHistoryMessage(event: KnownEvent): HistoryMessage | undefined {
  switch (event.type) {
    case "user.message":
      return { role: "user", content: event.data.content, ...byWhom(event.data.source) };
    case "system.notification":
      return { role: "user", content: [{ type: "text", text: event.data.content }], by: "notification" };
    case "assistant.message":
      return { role: "assistant", content: event.data.content, native: event.data.native };
    case "tool.answers":
      return { role: "answers", answers: event.data.answers };
    case "session.compaction_complete":
      if (event.data.summary === null) return undefined;
      return { role: "user", content: [{ type: "text", text: event.data.summary }], by: "summary" };
    default:
      return undefined;
  }
}

function byWhom(source: SessionEvents["user.message"]["source"]): Pick<UserMessage, "by"> {
  return source === "peer" || source === "notification" ? { by: source } : {};
}

/** Adds one event to a history. Live sessions and replays both use this. */
export function addToHistory(history: HistoryEntry[], event: KnownEvent): void {
  const { seq, agent } = event;
  if (event.type === "history.truncated") {
    replace(
      history,
      history.filter((entry) => lastOf(entry) < event.data.from),
    );
    return;
  }
  if (event.type !== "session.compaction_complete") {
    if (toHistoryMessage(event) !== undefined) history.push({ seq, agent });
    return;
  }
  const { summary, keptFrom } = event.data;
  if (keptFrom === null) return;
  const isGone = (entry: HistoryEntry): boolean => entry.agent === agent && lastOf(entry) < keptFrom;
  if (summary === null)
    replace(
      history,
      history.map((entry) => (isGone(entry) ? { ...entry, bare: true } : entry)),
    );
  else replace(history, [{ seq, agent, until: keptFrom }, ...history.filter((entry) => !isGone(entry))]);
}

/** The number of the last event whose text it includes. */
function lastOf({ seq, until }: HistoryEntry): number {
  return until === undefined ? seq : until - 1;
}

function replace(history: HistoryEntry[], next: readonly HistoryEntry[]): void {
  history.length = 0;
  for (const entry of next) history.push(entry);
}

/** Every call keeps an answer, but without content: no provider accepts an unanswered call. */
export function withoutResults(message: HistoryMessage): HistoryMessage {
  if (message.role !== "answers") return message;
  const answers = message.answers.map(({ call, result: { resultType } }) => ({
    call,
    result: { resultType, textResultForLlm: "[This result was dropped to make room.]" },
  }));
  return { role: "answers", answers };
}
