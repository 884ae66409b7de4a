import type { AgentReport } from "../../../sources/agents-port.ts";
import type { SessionMethod } from "../method.ts";
import { DEFAULT_MODEL, type ModelRoute } from "../models/model-route.ts";
import type { Live } from "../state/live.ts";
import { agentNames, SHIPPED } from "../tools/agent-dialect.ts";
import { agentIdOf, agentsOf } from "../tools/known-agents.ts";
import { type Json, stated, textOf } from "../wire/wire-values.ts";

/** The agents that work for a session, as tasks. One that is waited for ends with its call, so none can be promoted. */
export const TASK_METHODS: Readonly<Record<string, SessionMethod>> = {
  "tasks.list": async (live) => ({ tasks: await listTasks(live) }),
  "tasks.refresh": () => ({}),
  "tasks.waitForPending": async (live, _params, { signal }) => {
    const reports = await live.session.agents.list();
    await Promise.all(reports.map(({ id }) => live.session.agents.read(id, true, signal)));
    return {};
  },
  "tasks.getProgress": async (live, { id }) => ({ progress: await progressOf(live, agentIdOf(live, String(id))) }),
  "tasks.getCurrentPromotable": () => ({}),
  "tasks.promoteToBackground": () => ({ promoted: false }),
  "tasks.promoteCurrentToBackground": () => ({}),
  // The model hears nothing of it, as with these clients' own runtime.
  "tasks.cancel": async (live, { id }) => ({
    cancelled: await live.session.agents.stop(agentIdOf(live, String(id)), "starter"),
  }),
  "tasks.remove": async (live, { id }) => ({ removed: await remove(live, agentIdOf(live, String(id))) }),
  "tasks.sendMessage": async (live, { id, message }) => {
    const outcome = await live.session.agents.send(agentIdOf(live, String(id)), textOf(message) ?? "");
    if (outcome === "sent") return { sent: true };
    return { sent: false, error: outcome === "full" ? "Too much waits there already" : `No task ${String(id)} runs` };
  },
  "tasks.startAgent": (live, params) => startAgent(live, params),
};

async function listTasks(live: Live): Promise<readonly Json[]> {
  const gone = removedIn(live);
  return (await live.session.agents.list()).filter(({ id }) => !gone.has(id)).map((report) => toTask(live, report));
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

function toTask(live: Live, report: AgentReport): Json {
  const { id, agent, description, elapsed, status, text } = report;
  const {
    type = agent,
    name = id,
    toolCallId = id,
    prompt = "",
    isBackground = true,
    startedAt,
  } = agentsOf(live).get(id) ?? {};
  const began = startedAt ?? Date.now() - elapsed;
  return stated({
    type: "agent",
    id: name,
    toolCallId,
    description,
    status: STATUSES[status],
    startedAt: new Date(began).toISOString(),
    completedAt: isOver(report) ? new Date(began + elapsed).toISOString() : undefined,
    activeTimeMs: Math.round(elapsed),
    agentType: type,
    prompt,
    executionMode: isBackground ? "background" : "sync",
    canPromoteToBackground: false,
    result: status === "completed" ? text : undefined,
    error: status === "failed" ? text : undefined,
    latestResponse: text === "" ? undefined : text,
  });
}

const MOST_ACTIVITY = 10;

/** What it did lately, from its own events. */
async function progressOf(live: Live, agentId: string): Promise<Json | null> {
  const report = await live.session.agents.read(agentId, false, new AbortController().signal);
  if (report === null) return null;
  const recentActivity = live.log
    .filter((event) => event.agentId === agentId && event.type === "tool.execution_start")
    .slice(-MOST_ACTIVITY)
    .map(({ data, timestamp }) => ({ message: String(data.toolName), timestamp }));
  return { type: "agent", recentActivity };
}

/** One that is over leaves the list. */
async function remove(live: Live, agentId: string): Promise<boolean> {
  const report = await live.session.agents.read(agentId, false, new AbortController().signal);
  if (report === null || !isOver(report) || removedIn(live).has(agentId)) return false;
  removedIn(live).add(agentId);
  return true;
}

function removedIn({ facts }: Live): Set<string> {
  const removed = (facts.get("removed tasks") ?? new Set()) as Set<string>;
  facts.set("removed tasks", removed);
  return removed;
}

/** Starts one in the background, as a model would. */
async function startAgent(live: Live, { agentType, prompt, name, description, model }: Json): Promise<Json> {
  const type = textOf(agentType) ?? "";
  if (!agentNames(live).includes(type))
    throw new Error(`Unknown agent type: ${type}; the types are ${agentNames(live).join(", ")}`);
  if (model !== undefined && model !== (live.model ?? DEFAULT_MODEL))
    throw new Error(`Model not available: ${String(model)}; a task has the model of its agent or of the session`);
  const toolCallId = live.server.around.newId();
  live.facts.set(`task ${toolCallId}`, { agent_type: type, name: textOf(name), prompt: textOf(prompt) });
  await (live.facts.get("route") as ModelRoute).prepare();
  const task = {
    agent: SHIPPED.get(type) ?? type,
    prompt: textOf(prompt) ?? "",
    description: textOf(description) ?? textOf(name) ?? type,
    mode: "background",
  } as const;
  const { id } = await live.session.agents.start(task, toolCallId, new AbortController().signal);
  return { agentId: textOf(name) ?? id };
}
