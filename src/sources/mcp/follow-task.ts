import { isRecord } from "../../core/shape/is-record.ts";
import type { Connection } from "./connection.ts";
import { type ConversationEnd, converse, type ServerConversation } from "./converse.ts";

type Params = Readonly<Record<string, unknown>>;

const OWN = { client: null, own: true, onProgress: null, onWaiting: null } as const;
const RELATED = "io.modelcontextprotocol/related-task";
/** Milliseconds for which a server stores a result after the call has timed out. */
const SLACK = 60_000;

/** Whether a tool of a server of 2025-11-25 can only be called as a task. */
export function needsTask(definition: Params | null, { era, capabilities }: Connection): boolean {
  const execution = definition?.execution;
  return (
    era === "legacy" && isRecord(capabilities.tasks) && isRecord(execution) && execution.taskSupport === "required"
  );
}

/**
 * A call as a task, for a caller that waits for its result. The call is made once; then its result is requested once,
 * which the server answers when it has one. A server that answers with a result at once has no task.
 */
export async function converseByTask(connection: Connection, given: ServerConversation): Promise<ConversationEnd> {
  const task = { ttl: given.timeout + SLACK };
  const started = await converse(connection, { ...given, params: { ...given.params, task } });
  if (started.kind !== "answer" || started.answer.kind === "error") return started;
  const created = started.answer.result.task;
  if (!isRecord(created) || typeof created.taskId !== "string") return started;
  const { taskId } = created;
  const ended = await converse(connection, { ...given, method: "tasks/result", params: { taskId } });
  if (ended.kind !== "answer") connection.send("tasks/cancel", { taskId }, OWN).answered.catch(() => {});
  else if (ended.answer.kind === "result")
    return { kind: "answer", answer: { kind: "result", result: withoutTask(ended.answer.result) } };
  return ended;
}

/** The id of a task of ours means nothing to anybody else. */
export function withoutTask(params: Params): Params {
  const { _meta } = params;
  if (!isRecord(_meta) || !Object.hasOwn(_meta, RELATED)) return params;
  const { [RELATED]: _, ...meta } = _meta;
  const { _meta: __, ...rest } = params;
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta };
}
