import type { AgentReport } from "../../../sources/agents-port.ts";
import type { ClientSession } from "../sessions/client-session.ts";
import { applyOptions } from "../sessions/session-options.ts";
import type { EventLog } from "../state/event-log.ts";
import { emit } from "../state/session-core.ts";
import { customAgents } from "../tools/agents.ts";
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
    return { tasks: reports.filter(({ id }) => !agents.removed.has(id)).map(toTask) };
  },
  "tasks.refresh": () => ({}),
  "tasks.waitForPending": async ({ core }, _params, { signal }) => {
    const { list, read } = core.session.agents;
    return after(Promise.all((await list()).map(({ id }) => read(id, true, signal))), {});
  },
  "tasks.getProgress": async ({ core, events }, { id }) => {
    const report = await core.session.agents.read(String(id), false, new AbortController().signal);
    return { progress: report === null ? null : { type: "agent", recentActivity: activityOf(events, report.id) } };
  },
  "tasks.getCurrentPromotable": () => ({}),
  "tasks.promoteToBackground": () => ({ promoted: false }),
  "tasks.promoteCurrentToBackground": () => ({}),
  // The model is not told, as with these clients' own runtime.
  "tasks.cancel": async ({ core }, { id }) => ({
    cancelled: await core.session.agents.stop(String(id), "starter"),
  }),
  // One that is over leaves the list.
  "tasks.remove": async ({ core, agents }, { id }) => {
    const agentId = String(id);
    const report = await core.session.agents.read(agentId, false, new AbortController().signal);
    const removed = report !== null && isOver(report) && !agents.removed.has(agentId);
    if (removed) agents.removed.add(agentId);
    return { removed };
  },
  "tasks.sendMessage": async ({ core }, { id, message }) => {
    const outcome = await core.session.agents.send(String(id), textOf(message) ?? "");
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

function toTask(report: AgentReport): Json {
  const { id, agent, toolCallId, prompt, mode, began, description, elapsed, status, text } = report;
  return dropUndefined({
    type: "agent",
    ...{ id, toolCallId, description, status: STATUSES[status], agentType: agent, prompt },
    startedAt: new Date(began).toISOString(),
    completedAt: isOver(report) ? new Date(began + elapsed).toISOString() : undefined,
    activeTimeMs: Math.round(elapsed),
    executionMode: mode === "wait" ? "sync" : "background",
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
async function startAgent({ core, findModel }: ClientSession, params: Json): Promise<Json> {
  const { agentType, prompt: text, name: given, model: wanted } = params;
  const [agent = "", prompt = "", name, model] = [agentType, text, given, wanted].map(textOf);
  const names = core.session.agents.known().map((known) => known.name);
  if (!names.includes(agent)) throw new Error(`Unknown agent type: ${agent}; the types are ${names.join(", ")}`);
  if (model !== undefined)
    await findModel(model, "itself").catch(({ message }: Error) => {
      throw new Error(`Model not available: ${model}: ${message}`);
    });
  const description = textOf(params.description) ?? name ?? agent;
  const task = { agent, name, prompt, description, model, mode: "background" } as const;
  const { id } = await core.session.agents.start(task, core.server.around.newId(), new AbortController().signal);
  return { agentId: id };
}
