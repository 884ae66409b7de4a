import type { SessionEvents } from "../../../core/events/event-types.ts";
import type { Emitter } from "../../events/emitter.ts";
import type { StoredQuestions } from "../../permissions/asking.ts";

export interface PeoplePorts {
  readonly newId: () => string;
  readonly emit: Emitter["emit"];
  /** Where the session is stored: then anybody may answer, also after a restart. */
  readonly questions?: StoredQuestions | undefined;
}

type Kind = "user_input" | "elicitation" | "plan";
type About<K extends Kind> = Omit<SessionEvents[`${K}.requested`], "requestId">;

/** Asks people something in the middle of a call, and reports it to those who watch the session (S4). */
export async function askPeople<K extends Kind>(
  { newId, emit, questions }: PeoplePorts,
  kind: K,
  about: About<K>,
  handler: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<unknown> {
  const { toolCallId } = about;
  const before = toolCallId === null ? undefined : questions?.askedBefore(kind, toolCallId);
  const requestId = before ?? newId();
  emit(`${kind}.requested`, { ...about, requestId } as SessionEvents[`${K}.requested`]); // What `Omit` took is back.
  let by: string | null = null;
  try {
    const found = await (questions?.firstAnswer(requestId, handler, signal) ?? ownAnswer(handler));
    by = found.by;
    return found.answer;
  } finally {
    emit(`${kind}.completed`, { requestId, by });
  }
}

async function ownAnswer(handler: () => Promise<unknown>) {
  return { answer: await handler(), by: "the user" };
}
