import type { Params, ProtocolAnswer } from "../wire/json-rpc.ts";
import type { MovableCall } from "../wire/outlet.ts";
import { createMovableCall } from "./movable-call.ts";
import type { CallRow } from "./movable-calls.ts";
import type { SessionShare } from "./shared.ts";

/** The tasks of one client, where every machine finds them. */
export interface TaskRows {
  /** Before the client learns about it. */
  create(task: Params): Promise<void>;
  /** Its state, or how it ended. */
  note(task: Params, answer: ProtocolAnswer | null): void;
  forget(taskId: string): void;
  /** The call of a task, which may wait for somebody; `row` if another machine had it. */
  toCall(taskId: string, params: Params, row: CallRow | null): MovableCall;
}

export function createTaskRows(
  { id: session, calls, window }: Pick<SessionShare, "id" | "calls" | "window">,
  onError: (text: string, error: unknown) => void,
): TaskRows {
  /** Records of a task keep their order. */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (work: () => Promise<unknown>): void => {
    last = last.then(work).catch((error: unknown) => onError("a task could not be stored", error));
  };
  return {
    create: (task) => calls.create(session, String(task.taskId), { waiting: null, asked: null, task, answer: null }),
    note: (task, answer) =>
      inTurn(() => calls.change(session, String(task.taskId), (row) => ({ ...row, task, answer }))),
    forget: (taskId) => inTurn(() => calls.forget(session, taskId)),
    toCall: (taskId, params, row) =>
      createMovableCall({
        ...{ rows: calls, session, id: taskId, params, window: window() },
        ...{ isStored: true, asked: row?.asked ?? null },
      }),
  };
}
