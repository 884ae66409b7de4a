import type { Config } from "../../../config/config.ts";
import type { KnownEvent } from "../../../core/events/envelope.ts";
import type { AgentReport, AgentsPort, KnownAgent } from "../../../sources/agents-port.ts";
import type { AgentEnd, AgentNode } from "../../agents/agent-node.ts";
import type { AgentTree } from "../../agents/agent-tree.ts";
import { findEarlierAgents, toEarlierReport } from "../../agents/earlier-agents.ts";
import { withShippedAgents } from "../../agents/shipped-agents.ts";
import type { Emitter } from "../../events/emitter.ts";
import { NOTHING_USED, type RunTotals } from "../../loop/run-totals.ts";
import type { SessionSurroundings } from "../options/run-profile.ts";
import type { TalkOptions } from "../options/session-options.ts";
import type { OpenSession } from "../tools/session.ts";
import type { SessionSetting } from "../tools/setting.ts";

export interface SessionAgentsPorts {
  readonly config: () => Config;
  /** Null until it is open. */
  readonly session: () => OpenSession | null;
  readonly setting: () => SessionSetting;
  readonly given: () => TalkOptions;
  readonly around: SessionSurroundings;
  readonly emit: Emitter["emit"];
  /** What happened in an earlier process. */
  readonly past: readonly KnownEvent[];
  /** A background agent is over. */
  readonly report: (end: AgentEnd) => void;
  /** An agent writes to the session's own; false where too much waits there already. */
  readonly tell: (text: string) => boolean;
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
  const { around, emit, report, tell, given } = ports;
  const known = (): readonly KnownAgent[] => listAgents(ports.config());
  let tree: AgentTree | null = null;
  const opened = (): OpenSession => {
    const session = ports.session();
    if (session === null) throw new Error("the session is not open yet");
    return session;
  };
  const node: AgentNode = {
    ...{ id: null, depth: 0, parent: null, report, tell },
    async open(child) {
      const { openChildRun } = await import("./child-run.ts");
      const root = opened();
      const shared = { tree: () => tree as AgentTree, root, given, around, emit }; // It opens this child.
      return openChildRun(child, { node, session: root, setting: ports.setting() }, shared);
    },
  };
  let loaded: Promise<AgentTree> | null = null;
  const load = (): Promise<AgentTree> => {
    loaded ??= import("../../agents/agent-tree.ts").then(({ createAgentTree }) => {
      tree = createAgentTree({ known, emit, now: around.clock.now, earlier: earlier() });
      return tree;
    });
    return loaded;
  };
  const earlier = (): ReadonlyMap<string, AgentReport> =>
    new Map([...findEarlierAgents(ports.past)].map(([id, agent]) => [id, toEarlierReport(agent)]));
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

/** Those that somebody described: nobody could choose the others. */
function listAgents({ agents }: Config): readonly KnownAgent[] {
  return [...withShippedAgents(agents).values()].flatMap(({ name, description }) =>
    description === null || description.trim() === "" ? [] : [{ name, description }],
  );
}
