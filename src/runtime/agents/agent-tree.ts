import { LONGEST_MESSAGE, MOST_WAITING, toPeerMessage } from "../../core/agent/between-agents.ts";
import {
  type AgentReport,
  type AgentsPort,
  type AgentTask,
  MAIN_AGENT,
  type SendOutcome,
} from "../../sources/agents-port.ts";
import { createSlots, type Slots } from "../../system/slots.ts";
import { onAbort, untilAborted } from "../../system/time/until-aborted.ts";
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
  const crew: Crew = { ports, started: new Map(), slots: createSlots(AT_ONCE), counts: new Map() };
  const { started } = crew;
  return {
    portOf: (node) => createPort(node, crew),
    async beside(node, agent, prompt, about, signal) {
      const one = begin(crew, node, { agent, prompt, description: "looks on", mode: "wait" }, about);
      const unsubscribe = onAbort(signal, () => one.stop.abort(signal.reason));
      await one.over;
      unsubscribe();
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

/** The agents of a tree, and what they share. */
interface Crew {
  readonly ports: AgentTreePorts;
  readonly started: Map<string, StartedAgent>;
  readonly slots: Slots;
  /** How many were started of each kind. */
  readonly counts: Map<string, number>;
}

function createPort(node: AgentNode, crew: Crew): AgentsPort {
  const { ports, started, slots } = crew;
  const toReport = (one: StartedAgent): AgentReport => reportOf(one, ports.now());
  return {
    known: node.known,
    async start(task, toolCallId, signal) {
      mustBeHigh(node);
      const one = begin(crew, node, task, toolCallId);
      if (task.mode === "background") return toReport(one);
      // An agent that is waited for ends with its call; one in the background does not.
      const unsubscribe = onAbort(signal, () => one.stop.abort(signal.reason));
      await waitWithoutSlot(node.id === null ? undefined : started.get(node.id), one, slots);
      unsubscribe();
      return toReport(one);
    },
    async startTeam({ name, members }, toolCallId) {
      mustBeHigh(node);
      if (isTaken(name, crew))
        throw new Error(`"${name}" is the name of somebody else: choose another one for the team.`);
      return members.map((member) => toReport(begin(crew, node, { ...member, mode: "background" }, toolCallId, name)));
    },
    list: async () => [...ports.earlier.values(), ...[...started.values()].map(toReport)],
    async read(id, wait, signal) {
      const one = started.get(id);
      if (one === undefined) return ports.earlier.get(id) ?? null;
      if (wait) await untilAborted(one.over, signal, () => undefined);
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
  };
}

function begin(
  crew: Crew,
  parent: AgentNode,
  task: AgentTask,
  toolCallId: string,
  team: string | null = null,
): StartedAgent {
  const { ports, started, slots } = crew;
  const id = newId(task, crew);
  const one: StartedAgent = {
    ...{ id, task, team, toolCallId, parent, inbox: [], stop: new AbortController() },
    ...{ began: ports.now(), status: "waiting", text: "", ended: null, child: null, waitsFor: 0 },
    over: Promise.resolve(),
  };
  started.set(id, one);
  one.over = runAgent(one, slots, ports);
  return one;
}

function isTaken(id: string, { started, ports }: Crew): boolean {
  if (id === MAIN_AGENT || started.has(id) || ports.earlier.has(id)) return true;
  return [...started.values()].some(({ team }) => team === id);
}

/** The name that an agent was given, or that of its kind; with a number where it is not alone. */
function newId({ agent, name = "" }: AgentTask, crew: Crew): string {
  const wanted = toId(name);
  if (wanted !== "" && !isTaken(wanted, crew)) return wanted;
  const front = wanted === "" ? agent : wanted;
  for (;;) {
    const count = (crew.counts.get(front) ?? 0) + 1;
    crew.counts.set(front, count);
    if (!isTaken(`${front}-${count}`, crew)) return `${front}-${count}`;
  }
}

/** A name that a model made up, as far as it can stand in texts and addresses. */
function toId(name: string): string {
  return name
    .slice(0, LONGEST_NAME)
    .replaceAll(/[^\w.-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
}

const LONGEST_NAME = 64;

function reportOf(
  { id, task, toolCallId, parent, team, status, ended, began, text, child }: StartedAgent,
  now: number,
): AgentReport {
  return {
    ...{ id, agent: task.agent, description: task.description, parent: parent.id, team, status, text },
    ...{ toolCallId, prompt: task.prompt, mode: task.mode, began },
    ...{ elapsed: (ended ?? now) - began, turns: child?.totals.turns ?? 0 },
  };
}

function mustBeHigh({ depth }: AgentNode): void {
  if (depth >= DEEPEST)
    throw new Error(`Agents can be ${DEEPEST} deep at most, and this one is: do the task yourself.`);
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
