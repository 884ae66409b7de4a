import { nearestNames } from "../../../core/codes/nearest-name.ts";
import type { AgentReport, AgentsPort } from "../../agents-port.ts";
import type { BuiltinFamily, BuiltinHandler } from "../handler.ts";
import { fail, succeed } from "../results.ts";

/** The handlers of `task` and its companions. */
export function createAgentFamily(): BuiltinFamily {
  const handlers = new Map<string, BuiltinHandler>([
    ["task", task],
    ["list_agents", listAgents],
    ["read_agent", readAgent],
    ["send_to_agent", sendToAgent],
    ["stop_agent", stopAgent],
  ]);
  return { handlers, close: async () => {} };
}

const NOWHERE = "Agents cannot be run here.";

const task: BuiltinHandler = async ({ agent, prompt, description, mode }, { toolCallId, signal }, { agents }) => {
  if (agents === null) return fail(NOWHERE);
  if (typeof agent !== "string" || typeof prompt !== "string" || prompt.trim() === "")
    return fail('"agent" and "prompt" must be text.');
  const names = agents.known().map(({ name }) => name);
  if (!names.includes(agent)) {
    const near = nearestNames(agent, names);
    const hint = near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
    return fail(`There is no agent "${agent}".${hint} The agents are: ${names.join(", ")}.`);
  }
  const how = mode === "background" ? "background" : "wait";
  const report = await agents.start({ agent, prompt, description: String(description), mode: how }, toolCallId, signal);
  if (how === "background")
    return succeed(
      `The agent works in the background with the id "${report.id}". You are told when it is done; until then do something else, or end your answer.`,
    );
  return report.status === "completed" ? succeed(report.text) : fail(`The agent ${report.status}: ${report.text}`);
};

const listAgents: BuiltinHandler = async (_args, _run, { agents }) => {
  if (agents === null) return fail(NOWHERE);
  const reports = await agents.list();
  return succeed(reports.length === 0 ? "No agent was started." : reports.map(toLine).join("\n"));
};

const readAgent: BuiltinHandler = async ({ id, wait }, { signal }, { agents }) => {
  if (agents === null) return fail(NOWHERE);
  const report = await agents.read(String(id), wait === true, signal);
  if (report === null) return unknown(String(id), agents);
  return succeed(`${toLine(report)}${report.text === "" ? "" : `\n\n${report.text}`}`);
};

const sendToAgent: BuiltinHandler = async ({ id, message }, _run, { agents }) => {
  if (agents === null) return fail(NOWHERE);
  if (typeof message !== "string" || message.trim() === "") return fail('"message" must not be empty.');
  return (await agents.send(String(id), message)) ? succeed("Sent.") : unknown(String(id), agents);
};

const stopAgent: BuiltinHandler = async ({ id }, _run, { agents }) => {
  if (agents === null) return fail(NOWHERE);
  return (await agents.stop(String(id))) ? succeed("Stopped.") : unknown(String(id), agents);
};

function toLine({ id, agent, description, status, elapsed, turns }: AgentReport): string {
  return `${id} (${agent}): ${status} after ${Math.round(elapsed / 1_000)} s and ${turns} requests; ${description}`;
}

async function unknown(id: string, agents: AgentsPort) {
  const running = (await agents.list()).filter(({ status }) => status === "running" || status === "waiting");
  const known = running.length === 0 ? "None runs." : `Those that run are: ${running.map((one) => one.id).join(", ")}.`;
  return fail(`No agent with the id "${id}" runs. ${known}`);
}
