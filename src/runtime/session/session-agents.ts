import type { Config } from "../../config/config.ts";
import type { SessionEvent } from "../../core/events/envelope.ts";
import type { AgentsPort, KnownAgent } from "../../sources/agents-port.ts";
import type { ChildRun } from "../agents/agents.ts";
import { withShippedAgents } from "../agents/shipped-agents.ts";
import type { Emitter } from "../events/emitter.ts";
import type { Steered } from "../loop/run-loop.ts";
import { createExchange } from "./exchange.ts";
import { createModelFinder, toLoopSetting } from "./loop-setting.ts";
import type { OpenSession } from "./session.ts";
import type { TalkOptions } from "./session-options.ts";
import type { SessionSetting } from "./setting.ts";
import type { Surroundings } from "./surroundings.ts";

export interface SessionAgentsPorts {
  readonly config: () => Config;
  /** Null until it is open. */
  readonly session: () => OpenSession | null;
  readonly setting: () => SessionSetting;
  readonly given: () => TalkOptions;
  readonly around: Surroundings;
  readonly emit: Emitter["emit"];
  readonly report: (text: string) => void;
}

/** The agents that work for a session that talks to a model; what runs them is loaded when one is started. */
export function createSessionAgents(ports: SessionAgentsPorts): AgentsPort & { close(): Promise<void> } {
  const { around, emit, report } = ports;
  const known = (): readonly KnownAgent[] => listAgents(ports.config());
  let loaded: Promise<AgentsPort & { close(): Promise<void> }> | null = null;
  const load = () => {
    loaded ??= import("../agents/agents.ts").then(({ createAgents }) =>
      createAgents({
        known,
        now: around.clock.now,
        emit,
        report,
        open: (id, agent) => openChildRun(id, agent, ports),
      }),
    );
    return loaded;
  };
  return {
    known,
    start: async (task, toolCallId, signal) => (await load()).start(task, toolCallId, signal),
    list: async () => (await load()).list(),
    read: async (id, wait, signal) => (await load()).read(id, wait, signal),
    send: async (id, message) => (await load()).send(id, message),
    stop: async (id) => (await load()).stop(id),
    close: async () => (await loaded)?.close(),
  };
}

/** Those that somebody described: nobody could choose the others. */
function listAgents({ agents }: Config): readonly KnownAgent[] {
  return [...withShippedAgents(agents).values()].flatMap(({ name, description }) =>
    description === null || description.trim() === "" ? [] : [{ name, description }],
  );
}

/** A subagent has its own session and history, and writes into its root's journal. */
async function openChildRun(id: string, agent: string, ports: SessionAgentsPorts): Promise<ChildRun> {
  const { given, around, emit } = ports;
  const parent = ports.session();
  if (parent === null) throw new Error("the session is not open yet");
  const acp = ports.config().agents.get(agent)?.acp ?? null;
  if (acp !== null) return (await import("./acp-run.ts")).openAcpRun({ id, name: agent, acp, parent, ...ports });
  const [{ runLoop }, { followHistory }, { openChild }] = await Promise.all([
    import("../loop/run-loop.ts"),
    import("../loop/conversation-history.ts"),
    import("./open-child.ts"),
  ]);
  const child = await openChild(parent, ports.setting(), agent);
  const tell: Emitter["emit"] = (name, data) => emit(name, data, id);
  const forward = ({ type, data }: SessionEvent): void => tell(type, data);
  // At once, so that whoever waits until everything is stored waits for this too.
  child.live(forward);
  const history = followHistory({ history: [], past: [] }, parent.live);
  const steered: Steered[] = [];
  let turns = 0;
  return {
    get turns() {
      return turns;
    },
    send: (message) => {
      const text = `A message of another agent, for your information:\n${message}`;
      steered.push({ messageId: around.newId(), content: [{ type: "text", text }], source: "agent" });
    },
    async run(prompt, signal) {
      const messageId = around.newId();
      const calls = await child.calls();
      const own = { id, name: agent };
      const said = [prompt, ...(await calls.starting(own))].map((text) => ({ type: "text", text }) as const);
      tell("user.message", { messageId, content: said, source: "agent" });
      const model = await createModelFinder(given, around)(child);
      const place = { given, around, emit: tell, agent, history: () => history(id), stored: parent.stored };
      const setting = await toLoopSetting(child, createExchange(child, tell), model, place);
      const end = await runLoop(setting, {
        messageId,
        limits: CHILD_LIMITS,
        signal,
        takeSteered: () => steered.splice(0),
        hooks: {
          prompt: async (text) => ({ prompt: text, additionalContext: [], blocked: null }),
          stopping: (isAgain) => calls.stopping(isAgain, own),
          compacting: calls.compacting,
          failed: calls.failed,
        },
      });
      turns = end.totals.turns;
      return end;
    },
    close: () => child.close(),
  };
}

const CHILD_LIMITS = { turns: 100, tokens: null, cost: null, time: 3_600_000 };
