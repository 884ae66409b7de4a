import { isAnsweredByAnybody } from "../../core/events/cut-calls.ts";
import type { StoredEvent } from "../../core/events/envelope.ts";
import type { JournalState, QuestionKind } from "../../core/events/journal-state.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import type { QuestionChanges } from "./store.ts";

/** Whatever an event of that name asks waits for somebody until the one that says `completed` (S4). */
const KINDS: ReadonlyMap<string, QuestionKind> = new Map(
  (["permission", "user_input", "elicitation", "plan", "external_tool"] as const).map((kind) => [kind, kind]),
);

/** Says of each event in turn which questions it opens and closes; a call that ends closes all that it waited for. */
export function createQuestionBook(open: JournalState["questions"]): (event: StoredEvent) => QuestionChanges {
  /** The call that waits for each. */
  const waiting = new Map([...open].map(([id, { toolCallId }]) => [id, toolCallId as unknown]));
  return (event) => {
    const data = isRecord(event.data) ? event.data : {};
    if (event.type === "tool.execution_complete") {
      const closed = [...waiting].filter(([, call]) => call === data.toolCallId).map(([id]) => id);
      for (const id of closed) waiting.delete(id);
      return { closed };
    }
    const [name = "", what] = event.type.split(".");
    const kind = KINDS.get(name);
    const { requestId: id } = data;
    if (kind === undefined || typeof id !== "string" || !isAnsweredByAnybody(event)) return {};
    if (what === "requested") waiting.set(id, data.toolCallId ?? null);
    if (what === "completed") waiting.delete(id);
    return what === "requested" ? { asked: [{ id, kind, asked: data }] } : { closed: [id] };
  };
}
