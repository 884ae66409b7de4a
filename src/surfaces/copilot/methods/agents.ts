import type { AgentReport } from "../../../sources/agents-port.ts";
import { modelName } from "../models/model-state.ts";
import type { ClientSession } from "../sessions/client-session.ts";
import { applyOptions } from "../sessions/session-options.ts";
import type { EventLog } from "../state/event-log.ts";
import { emit } from "../state/session-core.ts";
import { type AgentState, agentIdOf, agentNames, customAgents, SHIPPED } from "../tools/agents.ts";
import { dropUndefined, type Json, textOf } from "../wire/wire-values.ts";
import { after, type SessionMethod } from "./method.ts";

/** Custom agents, and the agents that work for a session as tasks. One that is waited for ends with its call, so none can be promoted. */
export const AGENT_METHODS: Readonly<Record<string, SessionMethod>> = {
  "agent.list": (live) => ({ agents: listAgents(live) }),
  "agent.reload": async (live) => {
    await applyOptions(live);
    return { agents: listAgents(live) };
  },
  "agent.getCurrent": (live) => ({ agent: listAgents(live).find(({ name }) => name === live.agents.selected) ?? null }),
  "agent.select": async (live, { name }) => {
    const agent = listAgents(live).find((one) => one.name === name);
    if (agent === undefined) throw new Error(`Agent not found: ${String(name)}`);
    live.agents.selected = textOf(name) ?? null;
    await applyOptions(live, { agent: live.agents.selected });
    const { name: agentName, displayName: agentDisplayName, tools = null } = agent;
    emit(live.core, "subagent.selected", { agentName, agentDisplayName, tools });
    return { agent };
  },
  "agent.deselect": async (live) => {
    live.agents.selected = null;
    await applyOptions(live, { agent: null });
    emit(live.core, "subagent.deselected", {});
    return {};
  },
  "tasks.list": async ({ core, agents }) => {
    const reports = await core.session.agents.list();
    return { tasks: reports.filter(({ id }) => !agents.removed.has(id)).map((report) => toTask(agents, report)) };
  },
  "tasks.refresh": () => ({}),
  "tasks.waitForPending": async ({ core }, _params, { signal }) => {
    const { list, read } = core.session.agents;
    return after(Promise.all((await list()).map(({ id }) => read(id, true, signal))), {});
  },
  "tasks.getProgress": async ({ core, events, agents }, { id }) => {
    const agentId = agentIdOf(agents, String(id));
    const report = await core.session.agents.read(agentId, false, new AbortController().signal);
    return { progress: report === null ? null : { type: "agent", recentActivity: activityOf(events, agentId) } };
  },
  "tasks.getCurrentPromotable": () => ({}),
  "tasks.promoteToBackground": () => ({ promoted: false }),
  "tasks.promoteCurrentToBackground": () => ({}),
  // The model is not told, as with these clients' own runtime.
  "tasks.cancel": async ({ core, agents }, { id }) => ({
    cancelled: await core.session.agents.stop(agentIdOf(agents, String(id)), "starter"),
  }),
  // One that is over leaves the list.
  "tasks.remove": async ({ core, agents }, { id }) => {
    const agentId = agentIdOf(agents, String(id));
    const report = await core.session.agents.read(agentId, false, new AbortController().signal);
    const removed = report !== null && isOver(report) && !agents.removed.has(agentId);
    if (removed) agents.removed.add(agentId);
    return { removed };
  },
  "tasks.sendMessage": async ({ core, agents }, { id, message }) => {
    const outcome = await core.session.agents.send(agentIdOf(agents, String(id)), textOf(message) ?? "");
    if (outcome === "sent") return { sent: true };
    return { sent: false, error: outcome === "full" ? "Too much waits there already" : `No task ${String(id)} runs` };
  },
  "tasks.startAgent": startAgent,
};

function listAgents({ core, agents }: ClientSession): readonly Json[] {
  return customAgents(core, agents).map(({ name, displayName = name, description = "", tools, model, mcpServers }) =>
    dropUndefined({ id: name, name, displayName, description, tools, model, mcpServers }),
  );
}

const STATUSES: Readonly<Record<AgentReport["status"], string>> = {
  waiting: "running",
  running: "running",
  completed: "completed",
  failed: "failed",
  stopped: "cancelled",
};

function isOver({ status }: AgentReport): boolean {
  return status !== "waiting" && status !== "running";
}

function toTask({ started }: AgentState, report: AgentReport): Json {
  const { id, agent, description, elapsed, status, text } = report;
  const known = started.get(id);
  const began = known?.startedAt ?? Date.now() - elapsed;
  return dropUndefined({
    type: "agent",
    id: known?.name ?? id,
    toolCallId: known?.toolCallId ?? id,
    description,
    status: STATUSES[status],
    startedAt: new Date(began).toISOString(),
    completedAt: isOver(report) ? new Date(began + elapsed).toISOString() : undefined,
    activeTimeMs: Math.round(elapsed),
    agentType: known?.type ?? agent,
    prompt: known?.prompt ?? "",
    executionMode: known?.isBackground === false ? "sync" : "background",
    canPromoteToBackground: false,
    result: status === "completed" ? text : undefined,
    error: status === "failed" ? text : undefined,
    latestResponse: text === "" ? undefined : text,
  });
}

const MOST_ACTIVITY = 10;

/** What an agent did lately, from its own events. */
function activityOf({ log }: EventLog, agentId: string): readonly Json[] {
  return log
    .filter((event) => event.agentId === agentId && event.type === "tool.execution_start")
    .slice(-MOST_ACTIVITY)
    .map(({ data, timestamp }) => ({ message: String(data.toolName), timestamp }));
}

/** Starts one in the background, as a model would. */
async function startAgent(live: ClientSession, params: Json): Promise<Json> {
  const { core, agents, models } = live;
  const [type = "", prompt = "", name] = [params.agentType, params.prompt, params.name].map(textOf);
  const names = agentNames(core, agents);
  if (!names.includes(type)) throw new Error(`Unknown agent type: ${type}; the types are ${names.join(", ")}`);
  if (params.model !== undefined && params.model !== modelName(models))
    throw new Error(
      `Model not available: ${String(params.model)}; a task has the model of its agent or of the session`,
    );
  const toolCallId = core.server.around.newId();
  agents.requests.set(toolCallId, { type, name, prompt });
  const description = textOf(params.description) ?? name ?? type;
  const task = { agent: SHIPPED.get(type) ?? type, prompt, description, mode: "background" } as const;
  const { id } = await core.session.agents.start(task, toolCallId, new AbortController().signal);
  return { agentId: name ?? id };
}
