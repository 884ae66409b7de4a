import { CLAUDE_AGENTS } from "../../../core/call/shipped-agents.ts";
import type { ToolResult } from "../../../core/call/tool-result.ts";
import { nearestNames } from "../../../core/codes/nearest-name.ts";
import { listOf, objectOf } from "../../../core/shape/json-value.ts";
import type { AgentReport, AgentsPort } from "../../agents-port.ts";
import type { RunContext } from "../../source.ts";
import type { BuiltinFamily, BuiltinHandler } from "../parts/handler.ts";
import { fail, succeed } from "../parts/results.ts";

type AgentHandler = (
  args: Readonly<Record<string, unknown>>,
  run: RunContext,
  agents: AgentsPort,
) => Promise<ToolResult>;

const task: AgentHandler = async ({ agent, name, prompt, description, mode }, { toolCallId, signal }, agents) => {
  const wrong = checkTask(agent, prompt, agents);
  if (wrong !== null) return fail(wrong);
  const isBehind = agents.known().some(({ name: known, background }) => known === agent && background === true);
  const how = mode === "background" || isBehind ? "background" : "wait";
  const about = { prompt: String(prompt), description: String(description), mode: how } as const;
  const named = typeof name === "string" ? { name } : {};
  const report = await agents.start({ agent: String(agent), ...named, ...about }, toolCallId, signal);
  if (how === "background")
    return succeed(
      `The agent works in the background with the id "${report.id}". You are told when it is done; until then do something else, or end your answer.`,
      report,
    );
  if (report.status === "completed") return succeed(report.text);
  if (report.status !== "stopped") return fail(`The agent ${report.status}: ${report.text}`);
  return fail(`The agent was stopped before it was done.${report.text === "" ? "" : ` It said last: ${report.text}`}`);
};

const createTeam: AgentHandler = async ({ name, members }, { toolCallId }, agents) => {
  const given = listOf(members)
    .map(objectOf)
    .map(({ agent, prompt, description }) => ({ agent: toKnownName(agent, agents), prompt, description }));
  if (typeof name !== "string" || name.trim() === "" || given.length === 0)
    return fail('"name" must be text, and "members" a list of agents with their prompts.');
  for (const { agent, prompt } of given) {
    const wrong = checkTask(agent, prompt, agents);
    if (wrong !== null) return fail(wrong);
  }
  const team = given.map(({ agent, prompt, description }) => ({
    agent: String(agent),
    prompt: String(prompt),
    description: String(description ?? name),
  }));
  const reports = await agents.startTeam({ name, members: team }, toolCallId);
  const lines = reports.map(({ id, description }) => `- ${id}: ${description}`);
  return succeed(
    `The team "${name}" works in the background:\n${lines.join("\n")}\nsend_to_agent with the id "${name}" writes to all of them. You are told when each is done.`,
  );
};

const listAgents: AgentHandler = async (_args, _run, agents) => {
  const reports = await agents.list();
  return succeed(reports.length === 0 ? "No agent was started." : reports.map(toLine).join("\n"));
};

const readAgent: AgentHandler = async ({ id, wait }, { signal }, agents) => {
  const report = await agents.read(String(id), wait === true, signal);
  if (report === null) return unknown(String(id), agents);
  return succeed(`${toLine(report)}${report.text === "" ? "" : `\n\n${report.text}`}`, report);
};

const sendToAgent: AgentHandler = async ({ id, message }, _run, agents) => {
  if (typeof message !== "string" || message.trim() === "") return fail('"message" must not be empty.');
  const delivery = await agents.send(String(id), message);
  if (delivery === "sent") return succeed("Sent.");
  if (delivery === "unknown") return unknown(String(id), agents);
  return fail("Too much waits to be read there already, or the message is too long: send less, later.");
};

const stopAgent: AgentHandler = async ({ id }, _run, agents) =>
  (await agents.stop(String(id), "starter")) ? succeed("Stopped.") : unknown(String(id), agents);

/** The handlers of `task` and its companions, by name. */
export const AGENT_HANDLERS: ReadonlyMap<string, AgentHandler> = new Map([
  ["task", task],
  ["create_team", createTeam],
  ["list_agents", listAgents],
  ["read_agent", readAgent],
  ["send_to_agent", sendToAgent],
  ["stop_agent", stopAgent],
]);

/** The same tools for hosts that may run no agents. */
export function createAgentFamily(): BuiltinFamily {
  const entries = [...AGENT_HANDLERS].map(([name, handler]): [string, BuiltinHandler] => [
    name,
    async (args, run, { agents }) =>
      agents === null ? fail("Agents cannot be run here.") : handler(args, run, agents),
  ]);
  return { handlers: new Map(entries), close: async () => {} };
}

/** An agent that ships by Claude's name for it, unless one is called that; anything else as it is. */
export function toKnownName(agent: unknown, agents: AgentsPort): unknown {
  const own = CLAUDE_AGENTS.get(String(agent));
  return own === undefined || agents.known().some(({ name }) => name === agent) ? agent : own;
}

/** What is wrong with a task; null if it can be started. */
function checkTask(agent: unknown, prompt: unknown, agents: AgentsPort): string | null {
  if (typeof agent !== "string" || typeof prompt !== "string" || prompt.trim() === "")
    return '"agent" and "prompt" must be text.';
  const names = agents.known().map(({ name }) => name);
  if (names.includes(agent)) return null;
  const near = nearestNames(agent, names);
  const hint = near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
  return `There is no agent "${agent}".${hint} The agents are: ${names.join(", ")}.`;
}

function toLine({ id, agent, team, description, status, elapsed, turns }: AgentReport): string {
  const who = team === null ? agent : `${agent}, team ${team}`;
  return `${id} (${who}): ${status} after ${Math.round(elapsed / 1_000)} s and ${turns} requests; ${description}`;
}

async function unknown(id: string, agents: AgentsPort) {
  const running = (await agents.list()).filter(({ status }) => status === "running" || status === "waiting");
  const known = running.length === 0 ? "None runs." : `Those that run are: ${running.map((one) => one.id).join(", ")}.`;
  return fail(`No agent with the id "${id}" runs. ${known}`);
}
