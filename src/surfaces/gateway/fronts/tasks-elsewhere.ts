import { randomUUID } from "node:crypto";
import { type CallRow, CUT, LATE, toFailure } from "../shared/movable-calls.ts";
import type { SessionShare } from "../shared/shared.ts";
import type { Params, ProtocolAnswer } from "../wire/json-rpc.ts";
import type { LeavableOutlet } from "../wire/outlet.ts";
import { endedAlready, markAnswer, type Tasks, unknownTask } from "./tasks.ts";

/** Tasks of one client on other machines, including machines that have ended. */
export interface TasksElsewhere {
  /** All but those of this machine. */
  list(): Promise<readonly Params[]>;
  /** Answers a request about one; null if it belongs to this machine by now. */
  answer(method: string, params: Params, outlet: Partial<LeavableOutlet>): Promise<ProtocolAnswer | null>;
}

export interface ElsewherePorts {
  readonly share: Pick<SessionShare, "id" | "calls" | "machines" | "relay" | "window">;
  readonly tasks: Pick<Tasks, "has">;
  /** Makes the call of a task that had not started. */
  readonly adopt: (taskId: string, row: CallRow, params: Params) => void;
}

/** Milliseconds for which a task is listed beyond its time, because clocks differ. */
const SLACK = 120_000;

export function createTasksElsewhere({ share, tasks, adopt }: ElsewherePorts): TasksElsewhere {
  const { id: session, calls, machines, relay, window } = share;
  /** Requests about one task take turns, so that only the first finds it abandoned. */
  const turns = new Map<string, Promise<CallRow | null>>();

  /** The row of a task whose machine has ended, once it is settled; null if some machine works on it. */
  const settle = async (taskId: string, row: CallRow): Promise<CallRow | null> => {
    const found = await calls.adopt(session, taskId, row.machine, window());
    if (found.kind === "busy" && found.machine !== machines.self) return null;
    if (found.kind === "adopted" && !found.isLate) {
      adopt(taskId, found.row, found.waiting);
      return null;
    }
    const answer = { kind: "result", result: toFailure(found.kind === "adopted" ? LATE : CUT) } as const;
    return { ...row, task: { ...row.task, status: "failed" }, answer };
  };
  const inTurn = (taskId: string, work: () => Promise<CallRow | null>): Promise<CallRow | null> => {
    const turn = (turns.get(taskId) ?? Promise.resolve(null)).catch(() => null).then(work);
    turns.set(taskId, turn);
    return turn.finally(() => {
      if (turns.get(taskId) === turn) turns.delete(taskId);
    });
  };

  const elsewhere: TasksElsewhere = {
    async list() {
      const [rows, living] = await Promise.all([calls.of(session), machines.names()]);
      return [...rows].flatMap(([taskId, { task, answer, waiting, machine }]) => {
        if (task === null || tasks.has(taskId) || isOver(task)) return [];
        const isCut = answer === null && waiting === null && (machine === machines.self || !living.has(machine));
        return [isCut ? { ...task, status: "failed" } : task];
      });
    },
    async answer(method, params, outlet) {
      const taskId = String(params.taskId);
      const row = await calls.load(session, taskId);
      if (row === null || row.task === null) return unknownTask();
      const ended =
        row.answer === null ? await inTurn(taskId, async () => (tasks.has(taskId) ? null : settle(taskId, row))) : row;
      if (ended !== null) return answerEnded(method, taskId, ended);
      if (tasks.has(taskId)) return null;
      const request = { kind: "request", id: randomUUID(), method, params } as const;
      const answer = await relay.pass(row.machine, { kind: "request", session, request }, outlet);
      // That machine has ended, or is about to: what it left is checked again.
      return answer ?? elsewhere.answer(method, params, outlet);
    },
  };
  return elsewhere;
}

function answerEnded(method: string, taskId: string, { task, answer }: CallRow): ProtocolAnswer {
  if (task === null || answer === null) return unknownTask();
  if (method === "tasks/cancel") return endedAlready(task.status);
  return method === "tasks/result" ? markAnswer(answer, taskId) : { kind: "result", result: task };
}

/** Whether its time has passed, by any clock. */
function isOver({ lastUpdatedAt, ttl }: Params): boolean {
  return Date.now() - Date.parse(String(lastUpdatedAt)) > Number(ttl) + SLACK;
}
