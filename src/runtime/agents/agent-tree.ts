import { LONGEST_MESSAGE, MOST_WAITING, toPeerMessage } from "../../core/agent/between-agents.ts";
import {
  type AgentReport,
  type AgentsPort,
  type AgentTask,
  MAIN_AGENT,
  type SendOutcome,
} from "../../sources/agents-port.ts";
import { createSlots, type Slots } from "../../system/slots.ts";
import { addTotals, NOTHING_USED, type RunTotals } from "../loop/run-totals.ts";
import type { AgentNode, AgentTreePorts, StartedAgent } from "./agent-node.ts";
import { runAgent, STOPPED_BY_OTHERS } from "./run-agent.ts";

/** All agents that work for a session, at any level. */
export interface AgentTree {
  /** The port through which one agent's tools reach the others. */
  portOf(node: AgentNode): AgentsPort;
  /** Runs an agent in parallel and returns its answer; null if it fails. */
  beside(node: AgentNode, agent: string, prompt: string, about: string, signal: AbortSignal): Promise<string | null>;
  /** What all descendants of an agent have used so far. */
  usedBelow(node: AgentNode): RunTotals;
  close(): Promise<void>;
}

/** How many work at once; others wait for a slot. */
const AT_ONCE = 8;
/** The most levels under the session's own agent. */
export const DEEPEST = 3;

export function createAgentTree(ports: AgentTreePorts): AgentTree {
  const started = new Map<string, StartedAgent>();
  const slots = createSlots(AT_ONCE);
  const counts = new Map<string, number>();

  const newId = (agent: string): string => {
    const count = (counts.get(agent) ?? 0) + 1;
    counts.set(agent, count);
    const id = `${agent}-${count}`;
    return started.has(id) || ports.earlier.has(id) ? newId(agent) : id;
  };
  const begin = (node: AgentNode, task: AgentTask, toolCallId: string, team: string | null = null): StartedAgent => {
    const one: StartedAgent = {
      ...{ id: newId(task.agent), task, team, toolCallId, parent: node, inbox: [], stop: new AbortController() },
      ...{ began: ports.now(), status: "waiting", text: "", ended: null, child: null, waitsFor: 0 },
      over: Promise.resolve(),
    };
    started.set(one.id, one);
    one.over = runAgent(one, slots, ports);
    return one;
  };
  const toReport = (one: StartedAgent): AgentReport => ({
    ...{ id: one.id, agent: one.task.agent, description: one.task.description, parent: one.parent.id, team: one.team },
    ...{ status: one.status, elapsed: (one.ended ?? ports.now()) - one.began, text: one.text },
    turns: one.child?.totals.turns ?? 0,
  });
  const mustBeHigh = (node: AgentNode): void => {
    if (node.depth >= DEEPEST)
      throw new Error(`Agents can be ${DEEPEST} deep at most, and this one is: do the task yourself.`);
  };

  return {
    portOf: (node) => ({
      known: ports.known,
      async start(task, toolCallId, signal) {
        mustBeHigh(node);
        const one = begin(node, task, toolCallId);
        if (task.mode === "background") return toReport(one);
        // An agent that is waited for ends with its call; one in the background does not.
        const onAbort = (): void => one.stop.abort(signal.reason);
        if (signal.aborted) onAbort();
        signal.addEventListener("abort", onAbort, { once: true });
        await waitWithoutSlot(node.id === null ? undefined : started.get(node.id), one, slots);
        signal.removeEventListener("abort", onAbort);
        return toReport(one);
      },
      async startTeam({ name, members }, toolCallId) {
        mustBeHigh(node);
        if (name === MAIN_AGENT || started.has(name) || [...started.values()].some(({ team }) => team === name))
          throw new Error(`"${name}" is the name of somebody else: choose another one for the team.`);
        return members.map((member) => toReport(begin(node, { ...member, mode: "background" }, toolCallId, name)));
      },
      list: async () => [...ports.earlier.values(), ...[...started.values()].map(toReport)],
      async read(id, wait, signal) {
        const one = started.get(id);
        if (one === undefined) return ports.earlier.get(id) ?? null;
        if (wait) await Promise.race([one.over, aborted(signal)]);
        return toReport(one);
      },
      send: async (to, message) => deliver(to, message, node, started),
      async stop(id, by) {
        const one = started.get(id);
        if (one === undefined || !isLive(one) || !isBelow(one.parent, node)) return false;
        one.stop.abort(by === "starter" && one.parent.id === node.id ? "stopped" : STOPPED_BY_OTHERS);
        await one.over;
        return true;
      },
    }),
    async beside(node, agent, prompt, about, signal) {
      const one = begin(node, { agent, prompt, description: "looks on", mode: "wait" }, about);
      const onAbort = (): void => one.stop.abort(signal.reason);
      signal.addEventListener("abort", onAbort, { once: true });
      await one.over;
      signal.removeEventListener("abort", onAbort);
      return one.status === "completed" ? one.text : null;
    },
    usedBelow: (node) =>
      [...started.values()]
        .filter(({ parent }) => isBelow(parent, node))
        .reduce((sum, { child }) => addTotals(sum, child?.totals ?? NOTHING_USED), NOTHING_USED),
    async close() {
      for (const one of started.values()) one.stop.abort("closed");
      await Promise.all([...started.values()].map(({ over }) => over));
    },
  };
}

function isLive({ status }: StartedAgent): boolean {
  return status === "waiting" || status === "running";
}

/** Whether a node is that one or one of its descendants. */
function isBelow(node: AgentNode, above: AgentNode): boolean {
  for (let at: AgentNode | null = node; at !== null; at = at.parent) if (at.id === above.id) return true;
  return false;
}

/**
 * An agent that waits for another gives its slot back: if all slots were held by waiting agents, none would ever get
 * one.
 */
async function waitWithoutSlot(waiting: StartedAgent | undefined, one: StartedAgent, slots: Slots): Promise<void> {
  if (waiting === undefined) return one.over;
  waiting.waitsFor += 1;
  if (waiting.waitsFor === 1) slots.leave();
  await one.over;
  waiting.waitsFor -= 1;
  // The code that runs it releases its slot, so it must have one again, stopped or not.
  if (waiting.waitsFor === 0) await slots.take(new AbortController().signal);
}

/** To an agent, to one of the sender's teams, or to the session's own agent; never as words of the user (B5). */
function deliver(
  to: string,
  message: string,
  from: AgentNode,
  started: ReadonlyMap<string, StartedAgent>,
): SendOutcome {
  if (message.length > LONGEST_MESSAGE) return "full";
  const text = toPeerMessage(from.id ?? MAIN_AGENT, message);
  if (to === MAIN_AGENT) {
    if (from.id === null) return "unknown";
    return rootOf(from).tell(text) ? "sent" : "full";
  }
  const meant = [...started.values()].filter(
    (one) => isLive(one) && (one.id === to || (one.team === to && one.parent.id === from.id)),
  );
  const receivers = meant.filter(({ id }) => id !== from.id);
  if (receivers.length === 0) return "unknown";
  if (receivers.some(({ inbox }) => inbox.length >= MOST_WAITING)) return "full";
  for (const { inbox } of receivers) inbox.push(text);
  return "sent";
}

function rootOf(node: AgentNode): AgentNode {
  return node.parent === null ? node : rootOf(node.parent);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
