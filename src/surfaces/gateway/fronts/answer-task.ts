import { unknownMethod } from "../methods/methods.ts";
import type { Exchange } from "../views/front.ts";
import type { Params, ProtocolAnswer } from "../wire/json-rpc.ts";
import type { Tasks } from "./tasks.ts";
import type { TasksElsewhere } from "./tasks-elsewhere.ts";

interface TaskPorts {
  readonly tasks: Tasks;
  /** Those of other machines; null if there are none. */
  readonly elsewhere: TasksElsewhere | null;
  /** Starts one. */
  readonly start: (params: Params) => Promise<ProtocolAnswer>;
}

type Answer = Promise<ProtocolAnswer> | ProtocolAnswer;

const ABOUT_TASKS: ReadonlySet<string> = new Set(["tasks/get", "tasks/result", "tasks/cancel"]);

/** Answers a request about tasks, in the version that has them; null for any other request. */
export function answerTask(ports: TaskPorts, method: string, params: Params, exchange: Exchange): Answer | null {
  const { tasks, elsewhere, start } = ports;
  if (method === "tools/call") return params.task === undefined ? null : start(params);
  if (method === "tasks/list") return listTasks(ports, params.cursor);
  if (elsewhere === null || !ABOUT_TASKS.has(method) || tasks.has(params.taskId))
    return answerOwn(tasks, method, params, exchange);
  return elsewhere
    .answer(method, params, exchange.outlet ?? {})
    .then((answer) => answer ?? answerOwn(tasks, method, params, exchange) ?? unknownMethod(method));
}

function answerOwn(tasks: Tasks, method: string, { taskId }: Params, exchange: Exchange): Answer | null {
  switch (method) {
    case "tasks/get":
      return tasks.get(taskId);
    case "tasks/result":
      return tasks.result(taskId, exchange.client, exchange.cancelling.signal);
    case "tasks/cancel":
      return tasks.cancel(taskId);
    default:
      return null;
  }
}

async function listTasks({ tasks, elsewhere }: TaskPorts, cursor: unknown): Promise<ProtocolAnswer> {
  const own = tasks.list(cursor);
  const others = own.kind === "result" ? ((await elsewhere?.list()) ?? []) : [];
  return own.kind !== "result" || others.length === 0
    ? own
    : { kind: "result", result: { tasks: [...(own.result.tasks as readonly Params[]), ...others] } };
}
