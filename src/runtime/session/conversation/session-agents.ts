import type { AgentReport, AgentsPort, KnownAgent } from "../../../sources/agents-port.ts";
import type { AgentNode } from "../../agents/agent-node.ts";
import type { AgentTree } from "../../agents/agent-tree.ts";
import { findEarlierAgents, toEarlierReport } from "../../agents/earlier-agents.ts";
import { NOTHING_USED, type RunTotals } from "../../loop/run-totals.ts";
import type { SessionBase } from "../tools/session.ts";
import type { ConversationPlace } from "./child-ports.ts";
import type { Inbox } from "./inbox.ts";
import { listStartable } from "./startable-agents.ts";

interface SessionAgentsPorts extends ConversationPlace {
  readonly session: SessionBase;
  readonly inbox: Inbox;
}

/** The agents that work for a session that talks to a model. */
export interface SessionAgents extends AgentsPort {
  /** What all of them have used so far. */
  usedBelow(): RunTotals;
  /** Has one look on: what it says about something, or null. */
  beside(agent: string, prompt: string, about: string, signal: AbortSignal): Promise<string | null>;
  close(): Promise<void>;
}

/** What runs agents is loaded when one is started. */
export function createSessionAgents(ports: SessionAgentsPorts): SessionAgents {
  const { session, setting, inbox, ...shared } = ports;
  const { emit, around } = shared;
  const known = (): readonly KnownAgent[] => listStartable(session.config, setting);
  const earlier = (): ReadonlyMap<string, AgentReport> => {
    const agents = findEarlierAgents(setting.journal?.past ?? []);
    return new Map([...agents].map(([id, agent]) => [id, toEarlierReport(agent)]));
  };
  let tree: AgentTree | null = null;
  let loaded: Promise<AgentTree> | null = null;
  const load = (): Promise<AgentTree> => {
    loaded ??= import("../../agents/agent-tree.ts").then(({ createAgentTree }) => {
      tree = createAgentTree({ emit, now: around.clock.now, earlier: earlier() });
      return tree;
    });
    return loaded;
  };
  const node: AgentNode = {
    ...{ id: null, depth: 0, parent: null, known, report: inbox.report, tell: inbox.tell },
    async open(child) {
      const [{ openChildRun }, tree] = await Promise.all([import("./child-run.ts"), load()]);
      return openChildRun(child, { node, session, setting }, { ...shared, tree, root: session });
    },
  };
  const port = async (): Promise<AgentsPort> => (await load()).portOf(node);
  return {
    known,
    start: async (task, toolCallId, signal) => (await port()).start(task, toolCallId, signal),
    startTeam: async (team, toolCallId) => (await port()).startTeam(team, toolCallId),
    list: async () => (loaded === null ? [...earlier().values()] : (await port()).list()),
    read: async (id, wait, signal) => (await port()).read(id, wait, signal),
    send: async (to, message) => (await port()).send(to, message),
    stop: async (id, by) => (await port()).stop(id, by),
    usedBelow: () => tree?.usedBelow(node) ?? NOTHING_USED,
    beside: async (agent, prompt, about, signal) => (await load()).beside(node, agent, prompt, about, signal),
    close: async () => (await loaded)?.close(),
  };
}
