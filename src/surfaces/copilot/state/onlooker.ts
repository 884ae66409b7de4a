import type { PendingQuestion } from "../../../runtime/crib/question-desk.ts";
import type { PermissionRequest } from "../../../runtime/permissions/permission-request.ts";
import type { OpenSession } from "../../../runtime/session/tools/session.ts";
import type { HiddenValues } from "../../../system/text/hidden-values.ts";

/** What the clients of a session are asked. */
export type ShownQuestion =
  | { readonly kind: "permission"; readonly request: PermissionRequest }
  | PendingQuestion["asked"];

/** Somebody who looks at the sessions of clients, and changes nothing about them. */
export interface Onlooker {
  /** A session is open, maybe once more under its id; nothing has run in it yet. */
  opened(session: OpenSession, label: string): void;
  closed(id: string): void;
  /** The clients of a session are asked something; aborted once it is answered. */
  asked(id: string, question: ShownQuestion, over: AbortSignal): void;
}

/** An onlooker sees of questions what anybody may. */
export function hideFrom(onlooker: Onlooker, secrets: HiddenValues): Onlooker {
  return { ...onlooker, asked: (id, question, over) => onlooker.asked(id, secrets.data(question), over) };
}

/** Lets an onlooker see a question for as long as it is open. */
export async function whileShown<T>(
  { id, server: { onlooker } }: { readonly id: string; readonly server: { readonly onlooker: Onlooker | null } },
  question: ShownQuestion,
  answer: Promise<T>,
): Promise<T> {
  const over = new AbortController();
  onlooker?.asked(id, question, over.signal);
  try {
    return await answer;
  } finally {
    over.abort();
  }
}
