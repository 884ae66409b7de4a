import { isAnsweredByAnybody } from "../../core/events/cut-calls.ts";
import type { StoredEvent } from "../../core/events/envelope.ts";
import type { JournalState, QuestionKind } from "../../core/events/journal-state.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import type { QuestionChanges } from "./store.ts";

/** A question that such an event asks stays open until the matching `completed` event (S4). */
const CHANGES: ReadonlyMap<string, QuestionChange> = new Map<string, QuestionChange>(
  (["permission", "user_input", "elicitation", "plan", "external_tool"] as const).flatMap((kind) => [
    [`${kind}.requested`, { kind, opens: true }],
    [`${kind}.completed`, { kind, opens: false }],
  ]),
);

interface QuestionChange {
  readonly kind: QuestionKind;
  readonly opens: boolean;
}

/** Returns for each event in turn which questions it opens and closes; a call that ends closes all of its questions. */
export function createQuestionBook(open: JournalState["questions"]): (event: StoredEvent) => QuestionChanges {
  /** The call that waits for each question. */
  const waiting = new Map([...open].map(([id, { toolCallId }]) => [id, toolCallId as unknown]));
  return (event) => {
    const isEnd = event.type === "tool.execution_complete";
    const change = CHANGES.get(event.type);
    if (!isEnd && change === undefined) return {};
    const data = isRecord(event.data) ? event.data : {};
    if (isEnd) {
      const closed: string[] = [];
      for (const [id, call] of waiting) if (call === data.toolCallId) closed.push(id);
      for (const id of closed) waiting.delete(id);
      return { closed };
    }
    const { requestId: id } = data;
    if (change === undefined || typeof id !== "string" || !isAnsweredByAnybody(event)) return {};
    if (!change.opens) {
      waiting.delete(id);
      return { closed: [id] };
    }
    waiting.set(id, data.toolCallId ?? null);
    return { asked: [{ id, kind: change.kind, asked: data }] };
  };
}
