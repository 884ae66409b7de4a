import type { AgentReport, AgentsPort, AgentTask, KnownAgent } from "../../sources/agents-port.ts";
import type { Emitter } from "../events/emitter.ts";
import type { RunEnd } from "../loop/run-loop.ts";

/** A child that is open: runs its prompt to the end, and takes messages meanwhile. */
export interface ChildRun {
  run(prompt: string, signal: AbortSignal): Promise<RunEnd>;
  send(message: string): void;
  readonly turns: number;
  close(): Promise<void>;
}

export interface AgentsPorts {
  readonly known: () => readonly KnownAgent[];
  readonly open: (id: string, agent: string) => Promise<ChildRun>;
  readonly emit: Emitter["emit"];
  readonly now: () => number;
  /** Tells the one that started it that a background agent is over. */
  readonly report: (text: string) => void;
}

/** How many work at once; others wait their turn. */
const AT_ONCE = 8;

interface Started {
  readonly id: string;
  readonly task: AgentTask;
  readonly toolCallId: string;
  readonly stop: AbortController;
  readonly began: number;
  status: AgentReport["status"];
  text: string;
  ended: number | null;
  child: ChildRun | null;
  over: Promise<void>;
}

/** The agents that work for a session: started, waited for, written to and stopped. */
export function createAgents(ports: AgentsPorts): AgentsPort & { close(): Promise<void> } {
  const started = new Map<string, Started>();
  const places = createPlaces(AT_ONCE);
  const counts = new Map<string, number>();

  const newId = (agent: string): string => {
    const count = (counts.get(agent) ?? 0) + 1;
    counts.set(agent, count);
    return `${agent}-${count}`;
  };
  const toReport = ({ id, task, status, began, ended, text, child }: Started): AgentReport => ({
    id,
    agent: task.agent,
    description: task.description,
    status,
    elapsed: (ended ?? ports.now()) - began,
    turns: child?.turns ?? 0,
    text,
  });
  const isLive = ({ status }: Started): boolean => status === "waiting" || status === "running";

  return {
    known: ports.known,
    async start(task, toolCallId, signal) {
      const one: Started = {
        ...{ id: newId(task.agent), task, toolCallId, stop: new AbortController(), began: ports.now() },
        ...{ status: "waiting", text: "", ended: null, child: null, over: Promise.resolve() },
      };
      started.set(one.id, one);
      // What is waited for ends with its call; what runs in the background does not.
      const onAbort = (): void => one.stop.abort(signal.reason);
      if (task.mode === "wait") signal.addEventListener("abort", onAbort, { once: true });
      one.over = work(one, places, ports).finally(() => signal.removeEventListener("abort", onAbort));
      if (task.mode === "wait") await one.over;
      return toReport(one);
    },
    list: async () => [...started.values()].map(toReport),
    async read(id, wait, signal) {
      const one = started.get(id);
      if (one === undefined) return null;
      if (wait) await Promise.race([one.over, aborted(signal)]);
      return toReport(one);
    },
    async send(id, message) {
      const one = started.get(id);
      if (one === undefined || !isLive(one) || one.child === null) return false;
      one.child.send(message);
      return true;
    },
    async stop(id) {
      const one = started.get(id);
      if (one === undefined || !isLive(one)) return false;
      one.stop.abort("stopped");
      await one.over;
      return true;
    },
    async close() {
      for (const one of started.values()) one.stop.abort("closed");
      await Promise.all([...started.values()].map(({ over }) => over));
    },
  };
}

/** From its turn to its end; whatever goes wrong is what it says. */
async function work(one: Started, places: Places, { open, emit, now, report }: AgentsPorts): Promise<void> {
  const { id, task, toolCallId, stop } = one;
  const about = { agentId: id, agentName: task.agent, toolCallId };
  try {
    await places.take(stop.signal);
    try {
      one.status = "running";
      emit("subagent.started", { ...about, description: task.description, mode: task.mode }, id);
      one.child = await open(id, task.agent);
      const { stopReason, text } = await one.child.run(task.prompt, stop.signal);
      one.text = text;
      one.status = stopReason === "aborted" ? "stopped" : DONE.has(stopReason) ? "completed" : "failed";
      if (one.status === "failed")
        one.text = `it ended with ${stopReason}${text === "" ? "" : `, and last said: ${text}`}`;
      if (one.status === "completed") emit("subagent.completed", { ...about, stopReason }, id);
      else emit("subagent.failed", { ...about, error: one.text || stopReason }, id);
    } finally {
      places.leave();
      await one.child?.close();
    }
  } catch (error) {
    one.status = stop.signal.aborted ? "stopped" : "failed";
    one.text = error instanceof Error ? error.message : String(error);
    emit("subagent.failed", { ...about, error: one.text }, id);
  }
  one.ended = now();
  if (task.mode === "background" && one.status !== "stopped")
    report(`The agent "${id}" (${task.agent}) is over: ${one.status}. read_agent with this id returns its answer.`);
}

const DONE: ReadonlySet<string> = new Set(["end", "terminal-tool"]);

interface Places {
  take(signal: AbortSignal): Promise<void>;
  leave(): void;
}

function createPlaces(count: number): Places {
  let free = count;
  const waiting: (() => void)[] = [];
  return {
    async take(signal) {
      signal.throwIfAborted();
      if (free > 0) {
        free -= 1;
        return;
      }
      await new Promise<void>((resolve, reject) => {
        const go = (): void => {
          signal.removeEventListener("abort", giveUp);
          resolve();
        };
        const giveUp = (): void => {
          waiting.splice(waiting.indexOf(go), 1);
          reject(signal.reason);
        };
        waiting.push(go);
        signal.addEventListener("abort", giveUp, { once: true });
      });
    },
    leave() {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
