import type { StoredEvent } from "../../core/events/envelope.ts";
import type { QuestionKind } from "../../core/events/journal-state.ts";
import type { QuestionChanges } from "./store.ts";

/** Whatever an event of that name asks waits for somebody until the one that says `completed` (S4). */
const KINDS: ReadonlyMap<string, QuestionKind> = new Map(
  (["permission", "user_input", "elicitation", "plan", "external_tool"] as const).map((kind) => [kind, kind]),
);

/** The questions that these events open and close. */
export function questionsIn(events: readonly StoredEvent[]): QuestionChanges {
  const found = events.flatMap(({ type, data }) => {
    const [name = "", what] = type.split(".");
    const kind = KINDS.get(name);
    const id = typeof data === "object" && data !== null && "requestId" in data ? data.requestId : null;
    return kind === undefined || typeof id !== "string" ? [] : [{ kind, what, id, asked: data }];
  });
  return {
    asked: found.filter(({ what }) => what === "requested").map(({ id, kind, asked }) => ({ id, kind, asked })),
    closed: found.filter(({ what }) => what === "completed").map(({ id }) => id),
  };
}
