import { emit, type SessionCore } from "../state/session-core.ts";
import type { ClientConnection } from "../wire/client-connection.ts";
import type { Json } from "../wire/wire-values.ts";

/** Milliseconds that an app without a handler has to answer its first question; less than its clients wait for a turn. */
const PATIENCE = 30_000;

const UNDECIDED: Json = {
  kind: "user-not-available",
  feedback: `the app has no permission handler, and nobody decided within ${PATIENCE / 1_000} seconds`,
};

/** Set once the app knows. */
interface Noted {
  isNobodyNoted: boolean;
}

/** A client that deals with permission requests by its own calls needs no handler. */
export function noteDecider({ clients }: SessionCore, connection: ClientConnection): void {
  const client = clients.get(connection);
  if (client !== undefined) client.decides = true;
}

/**
 * Ends a question that no attached client is going to answer: a turn that waits for ever looks as if the model did not reply.
 * One whose clients have all left stays open for those that take it up. Returns how to stop that.
 */
export function limitUndecided(core: SessionCore, noted: Noted, toolName: string, requestId: string): () => void {
  if (!isUndecided(core)) return () => {};
  warn(core, noted, toolName);
  const { clock } = core.server.around;
  const end = (): void => void (isUndecided(core) && core.questions.get(requestId)?.answer(UNDECIDED));
  const timer = clock.setTimeout(end, PATIENCE);
  return () => clock.clearTimeout(timer);
}

function isUndecided({ clients }: SessionCore): boolean {
  return clients.size > 0 && ![...clients.values()].some(({ decides }) => decides);
}

function warn(core: SessionCore, noted: Noted, toolName: string): void {
  if (noted.isNobodyNoted) return;
  noted.isNobodyNoted = true;
  const message = `the call of ${toolName} has to be allowed or denied, and the app has no permission handler: give it one (onPermissionRequest, in Python on_permission_request), or set skipPermission on tools that need no question. Calls are denied after ${PATIENCE / 1_000} seconds`;
  core.server.note(`session ${core.id}: ${message}`);
  emit(core, "session.warning", { warningType: "permission_handler", message });
}
