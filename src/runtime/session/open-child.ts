import type { Config } from "../../config/config.ts";
import type { AgentConfig } from "../../config/shape/agent-shape.ts";
import { nameList, type Origin } from "../../core/codes/origin.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { Limit } from "../../core/scene/scene.ts";
import { AGENT_TOOL_NAMES } from "../../sources/builtin/definitions.ts";
import { isServer, type Source } from "../../sources/source.ts";
import { withShippedAgents } from "../agents/shipped-agents.ts";
import { toChildRecorder } from "../store/child-recorder.ts";
import { type OpenSession, openSession } from "./session.ts";
import type { SessionSetting } from "./setting.ts";
import { derive } from "./with-client.ts";

const TASK: Origin = { kind: "call", call: "task" };

/** What an agent below the top level does without, unless its own list names it: starting others, and talking to people. */
const TOP_LEVEL = [...AGENT_TOOL_NAMES, "ask_user", "exit_plan_mode"];

/** Milliseconds that servers which still start have before an agent begins without them. */
const PATIENCE = 10_000;

/**
 * The session of a subagent: the same gates in a child scene. Its parent's filters, rules, mode and limits hold, its own
 * lists narrow further, and its own servers come with it; what runs for the parent is shared and stays open (A4).
 */
export async function openChild(parent: OpenSession, setting: SessionSetting, name: string): Promise<OpenSession> {
  const agents = withShippedAgents(parent.config.agents);
  const agent = agents.get(name);
  if (agent === undefined) throw new ToolcribError("agent.unknown", `there is no agent "${name}"`, { names: [name] });
  const servers = new Map(parent.sources.filter(isServer).map((source) => [source.name, source]));
  const child = await openSession(toChildConfig(parent.config, agents, agent), {
    ...setting,
    sources: async () =>
      parent.sources
        .filter((source) => !isServer(source))
        .map((source, at) => ({ key: `parent ${at}`, open: async () => share(source) })),
    open: async (wanted) => {
      const running = wanted.server === undefined ? undefined : servers.get(wanted.server);
      return running === undefined ? wanted.open() : share(running);
    },
    facts: (config, sources) => ({ ...setting.facts(config, sources), isSubagent: true }),
    attach: () => {},
    recorder: setting.recorder && toChildRecorder(setting.recorder),
    grants: [],
    toldTools: null,
    results: setting.results && { ...setting.results, earlier: new Set() },
    ...(setting.calls === undefined ? {} : { calls: { ...setting.calls, isSubagent: true } }),
  });
  try {
    await child.settled(AbortSignal.timeout(PATIENCE));
    refuseWithoutTools(child, agent);
    return child;
  } catch (error) {
    await child.close();
    throw error;
  }
}

function share(source: Source): Source {
  return derive(source, { close: async () => {} });
}

function toChildConfig(config: Config, agents: ReadonlyMap<string, AgentConfig>, agent: AgentConfig): Config {
  const named = new Set(agent.tools?.value.map(({ value }) => value) ?? []);
  const exclude = nameList(
    TOP_LEVEL.filter((tool) => !named.has(tool)),
    TASK,
  );
  const below: Limit = { include: null, exclude, by: "subagent" };
  return {
    ...config,
    agents: new Map(agents),
    agent: { value: agent.name, origin: TASK },
    limits: [...config.limits, below],
  };
}

/** An agent that names tools and gets none would only waste its run (A5). */
function refuseWithoutTools({ toolset }: OpenSession, { name, tools }: AgentConfig): void {
  if (tools === null || tools.value.length === 0) return;
  if (toolset.placements.some(({ standing }) => standing !== "hidden")) return;
  const listed = tools.value.map(({ value }) => value);
  throw new ToolcribError("filter.no-tools", `the agent "${name}" has none of its tools here: ${listed.join(", ")}`, {
    names: listed,
  });
}
