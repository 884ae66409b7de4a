import { randomUUID } from "node:crypto";
import type { PeerClient } from "../../../sources/peer.ts";
import type { Clock, Timer } from "../../../system/time/clock.ts";
import { createDeferred } from "../../../system/time/deferred.ts";
import { untilAborted } from "../../../system/time/until-aborted.ts";
import type { CallRow } from "../shared/movable-calls.ts";
import type { TaskRows } from "../shared/task-rows.ts";
import { invalidParams, isId, isObject, type Params, type ProtocolAnswer, refuseRequest } from "../wire/json-rpc.ts";
import type { LeavableOutlet, MovableCall } from "../wire/outlet.ts";
import { ERROR, META } from "../wire/protocol.ts";
import { isStoreAway, STORE_AWAY } from "../wire/store-away.ts";

/** What runs as a task: once, however often its state is asked for, and to its end unless it is cancelled. */
type TaskWork = (
  client: PeerClient,
  signal: AbortSignal,
  outlet: Pick<LeavableOutlet, "waiting">,
) => Promise<ProtocolAnswer>;

/** The tasks of one client of 2025-11-25. Nobody else can name them, and they end with its session. */
export interface Tasks {
  /** Whether any is still running. */
  readonly isBusy: boolean;
  has(taskId: unknown): boolean;
  /** Starts the work, and answers at once with the task. */
  start(wish: unknown, params: Params, work: TaskWork): Promise<ProtocolAnswer>;
  /** Starts the work of a task that another machine left before it had started. */
  adopt(taskId: string, row: CallRow, params: Params, work: TaskWork): void;
  get(taskId: unknown): ProtocolAnswer;
  /** Waits for the end. Questions in the meantime go to the waiting client. */
  result(taskId: unknown, waiting: PeerClient, signal: AbortSignal): Promise<ProtocolAnswer>;
  list(cursor: unknown): ProtocolAnswer;
  cancel(taskId: unknown): ProtocolAnswer;
  close(): void;
}

export interface TasksOptions {
  readonly clock: Clock;
  readonly id: string;
  /** The prefix of task ids, by which other machines know their owner. */
  readonly prefix?: string;
  readonly capabilities: Params;
  /** The client, if it can be asked and notified while it waits for nothing; null if it cannot. */
  readonly standing: () => PeerClient | null;
  readonly notify: (method: string, params: Params) => void;
  /** Where they are stored for other machines; null if they end with this one. */
  readonly stored: TaskRows | null;
}

type TaskIdentity = Pick<Task, "taskId" | "createdAt" | "ttl">;

interface Task {
  readonly taskId: string;
  readonly createdAt: string;
  readonly ttl: number;
  readonly until: number;
  /** Lets the work start. */
  readonly begin: () => void;
  readonly controller: AbortController;
  readonly ended: Promise<ProtocolAnswer>;
  /** Clients that wait for its result, the latest last. */
  readonly waiting: Set<PeerClient>;
  /** Wakes questions that found nobody to ask. */
  readonly sleeping: Set<() => void>;
  asking: number;
  answer: ProtocolAnswer | null;
  isCancelled: boolean;
  updatedAt: string;
  timer: Timer | null;
}

/** One client's tasks, running and finished together. */
const MOST_TASKS = 100;
/** Milliseconds; how long a result is kept by default, at least and at most. */
const TTL = { usual: 600_000, least: 60_000, most: 3_600_000 } as const;
const POLL = 1_000;

export function createTasks(options: TasksOptions): Tasks {
  const { clock, notify, stored } = options;
  const tasks = new Map<string, Task>();

  const find = (taskId: unknown): Task | null => (typeof taskId === "string" ? (tasks.get(taskId) ?? null) : null);
  const change = (task: Task): void => {
    task.updatedAt = now();
    if (!tasks.has(task.taskId)) return;
    stored?.note(toTask(task), task.answer);
    notify("notifications/tasks/status", toTask(task));
  };
  /** Stored for as long as was agreed, and a little longer for a client that waited beyond that. */
  const keep = (task: Task): void => {
    const left = Math.max(TTL.least, task.until - clock.now());
    task.timer = clock.setTimeout(() => {
      tasks.delete(task.taskId);
      stored?.forget(task.taskId);
    }, left);
  };
  const begin = (identity: TaskIdentity, work: TaskBeginning): Task => {
    const task = toRunning(options, identity, work, {
      change,
      isKnown: () => tasks.has(identity.taskId),
      keep,
      drop: () => void tasks.delete(identity.taskId),
    });
    tasks.set(identity.taskId, task);
    return task;
  };
  return {
    get isBusy() {
      return [...tasks.values()].some(({ answer }) => answer === null);
    },
    has: (taskId) => find(taskId) !== null,
    async start(wish, params, work) {
      if (!isObject(wish)) return invalidParams("`task` is not an object");
      if (tasks.size >= MOST_TASKS) return tooManyTasks();
      const identity = { taskId: `${options.prefix ?? ""}${randomUUID()}`, createdAt: now(), ttl: readTtl(wish.ttl) };
      const task = begin(identity, { params, work, call: stored?.toCall(identity.taskId, params, null) ?? null });
      try {
        await stored?.create(toTask(task));
      } catch (error) {
        task.controller.abort();
        tasks.delete(task.taskId);
        if (!isStoreAway(error)) throw error;
        return STORE_AWAY;
      }
      task.begin();
      return { kind: "result", result: { task: toTask(task) } };
    },
    adopt(taskId, row, params, work) {
      const { createdAt, ttl } = row.task ?? {};
      const identity = { taskId, createdAt: String(createdAt), ttl: readTtl(ttl) };
      begin(identity, { params, work, call: stored?.toCall(taskId, params, row) ?? null }).begin();
    },
    get(taskId) {
      const task = find(taskId);
      return task === null ? unknownTask() : { kind: "result", result: toTask(task) };
    },
    async result(taskId, waiting, signal) {
      const task = find(taskId);
      return task === null ? unknownTask() : awaitResult(task, waiting, signal);
    },
    list(cursor) {
      if (cursor !== undefined) return invalidParams("the cursor is not one of this list");
      return { kind: "result", result: { tasks: [...tasks.values()].map(toTask) } };
    },
    cancel(taskId) {
      const task = find(taskId);
      return task === null ? unknownTask() : cancelTask(task, change);
    },
    close() {
      for (const { controller, timer } of tasks.values()) {
        controller.abort();
        if (timer !== null) clock.clearTimeout(timer);
      }
      tasks.clear();
    },
  };
}

async function awaitResult(task: Task, waiting: PeerClient, signal: AbortSignal): Promise<ProtocolAnswer> {
  task.waiting.add(waiting);
  for (const wake of [...task.sleeping]) wake();
  try {
    const answer = task.answer ?? (await untilAborted(task.ended, signal, () => null));
    if (answer === null) return refuseRequest(ERROR.server, "The request was cancelled.");
    return markAnswer(answer, task.taskId);
  } finally {
    task.waiting.delete(waiting);
  }
}

function cancelTask(task: Task, change: (task: Task) => void): ProtocolAnswer {
  if (task.isCancelled || task.answer !== null) return endedAlready(statusOf(task));
  task.isCancelled = true;
  task.controller.abort();
  change(task);
  return { kind: "result", result: toTask(task) };
}

function tooManyTasks(): ProtocolAnswer {
  return refuseRequest(ERROR.server, `a client may have ${MOST_TASKS} tasks; nothing was run`);
}

interface TaskBeginning {
  readonly params: Params;
  readonly work: TaskWork;
  /** The task as a call that may wait for somebody, if other machines know about it. */
  readonly call: MovableCall | null;
}

interface TaskKeeping {
  readonly change: (task: Task) => void;
  readonly isKnown: () => boolean;
  readonly keep: (task: Task) => void;
  readonly drop: () => void;
}

/** A task whose work starts when `begin` is called. */
function toRunning(
  options: TasksOptions,
  { taskId, createdAt, ttl }: TaskIdentity,
  { params, work, call }: TaskBeginning,
  { change, isKnown, keep, drop }: TaskKeeping,
): Task {
  const controller = new AbortController();
  const token = isObject(params._meta) ? params._meta.progressToken : undefined;
  const client = toTaskClient(options, () => task, change, token);
  const begun = createDeferred<void>();
  // The work may ask at once, and must find its task then.
  const ended = begun.promise.then(() => work(client, controller.signal, { waiting: async () => call }));
  const task: Task = {
    ...{ taskId, createdAt, updatedAt: now(), ttl, until: options.clock.now() + ttl, begin: begun.resolve },
    ...{ controller, waiting: new Set(), sleeping: new Set() },
    ...{ asking: 0, answer: null, isCancelled: false, timer: null },
    ended: ended
      .catch((): ProtocolAnswer => refuseRequest(ERROR.internal, "Internal error"))
      .then(async (answer) => {
        // If another machine has the task by now, or will have it, it is no longer ours.
        if ((await call?.mayAnswer().catch(() => true)) === false) {
          drop();
          return MOVED;
        }
        task.answer = answer;
        change(task);
        if (isKnown()) keep(task);
        return answer;
      }),
  };
  return task;
}

/** The answer to waiters for a task that another machine has by now. */
export const MOVED = refuseRequest(ERROR.server, "another machine goes on with this task; ask for it again");

/** The client as a task's work knows it: the one that can be asked and notified at that time. */
function toTaskClient(
  { id, capabilities, standing, notify }: TasksOptions,
  taskOf: () => Task,
  onChange: (task: Task) => void,
  progressToken: unknown,
): PeerClient {
  return {
    ...{ id, capabilities },
    era: "legacy",
    async ask(questions, signal) {
      const task = taskOf();
      task.asking += 1;
      onChange(task);
      try {
        const marked = new Map(
          [...questions].map(([key, one]) => [key, { ...one, params: mark(one.params, task.taskId) }]),
        );
        return await (await someone(task, standing, signal)).ask(marked, signal);
      } finally {
        task.asking -= 1;
        onChange(task);
      }
    },
    notify(method, params) {
      const isProgress = method === "notifications/progress";
      if (!isProgress || isId(progressToken)) notify(method, isProgress ? { ...params, progressToken } : params);
    },
  };
}

/** Who can be asked about a task: a client that waits for its result, one that listens, or the first to connect. */
async function someone(task: Task, standing: () => PeerClient | null, signal: AbortSignal): Promise<PeerClient> {
  for (;;) {
    signal.throwIfAborted();
    const found = [...task.waiting].at(-1) ?? standing();
    if (found !== null) return found;
    let wake = (): void => {};
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    task.sleeping.add(wake);
    await untilAborted(woken, signal, () => null);
    task.sleeping.delete(wake);
  }
}

function statusOf({ isCancelled, answer, asking }: Task): string {
  if (isCancelled) return "cancelled";
  if (answer === null) return asking > 0 ? "input_required" : "working";
  return answer.kind === "error" || (answer.kind === "result" && answer.result.isError === true)
    ? "failed"
    : "completed";
}

function toTask(task: Task): Params {
  const { taskId, createdAt, updatedAt, ttl } = task;
  return { taskId, status: statusOf(task), createdAt, lastUpdatedAt: updatedAt, ttl, pollInterval: POLL };
}

export function markAnswer(answer: ProtocolAnswer, taskId: string): ProtocolAnswer {
  return answer.kind === "result" ? { kind: "result", result: mark(answer.result, taskId) } : answer;
}

/** Adds the task that something belongs to. */
function mark(params: Params, taskId: string): Params {
  const meta = isObject(params._meta) ? params._meta : {};
  return { ...params, _meta: { ...meta, [META.task]: { taskId } } };
}

function readTtl(wish: unknown): number {
  const ttl = typeof wish === "number" && Number.isFinite(wish) ? Math.round(wish) : TTL.usual;
  return Math.min(TTL.most, Math.max(TTL.least, ttl));
}

export function endedAlready(status: unknown): ProtocolAnswer {
  return invalidParams(`Cannot cancel task: it is ${status} already`);
}

/** The same words for a task that never existed, one that is gone, and another client's. */
export function unknownTask(): ProtocolAnswer {
  return invalidParams("Task not found: it never was, has expired, or belongs to another session");
}

function now(): string {
  return new Date().toISOString();
}
