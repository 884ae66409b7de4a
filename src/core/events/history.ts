import type { HistoryMessage, UserMessage } from "../call/message.ts";
import type { KnownEvent } from "./envelope.ts";
import type { SessionEvents } from "./event-types.ts";

/** One place in what a model reads, oldest first; the event of that number holds the words. */
export interface HistoryEntry {
  readonly seq: number;
  readonly agent: string | null;
  /** What tools answered was dropped to make room. */
  readonly bare?: true;
  /** It stands for everything before the event of this number. */
  readonly until?: number;
}

/** What an event says to the model; undefined for all that it never reads. */
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

/** Changes a history by one more event. The living session and a replay both go through here. */
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

/** The number of the last event that it holds the words of. */
function lastOf({ seq, until }: HistoryEntry): number {
  return until === undefined ? seq : until - 1;
}

function replace(history: HistoryEntry[], next: readonly HistoryEntry[]): void {
  history.length = 0;
  for (const entry of next) history.push(entry);
}

/** Every call keeps its answer, without what it said: no provider takes a call that is not answered. */
export function withoutResults(message: HistoryMessage): HistoryMessage {
  if (message.role !== "answers") return message;
  const answers = message.answers.map(({ call, result: { resultType } }) => ({
    call,
    result: { resultType, textResultForLlm: "[This result was dropped to make room.]" },
  }));
  return { role: "answers", answers };
}
