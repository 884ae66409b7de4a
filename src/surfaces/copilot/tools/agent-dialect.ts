import { reword, type ToolResult } from "../../../core/call/tool-result.ts";
import type { Live } from "../state/live.ts";
import { type Json, numberOf, recordOf, textOf, textsOf } from "../wire/wire-values.ts";
import type { Called, Difference } from "./difference.ts";
import { agentsOfApp } from "./given-agents.ts";
import { agentIdOf, agentsOf } from "./known-agents.ts";

/** Agents that ship, by the names that clients know them under. */
export const SHIPPED: ReadonlyMap<string, string> = new Map([
  ["explore", "explore"],
  ["task", "general"],
  ["general-purpose", "general"],
]);

export function agentNames(live: Live): readonly string[] {
  const { excludedBuiltinAgents, includedBuiltinAgents } = live.wire;
  const excluded = new Set(textsOf(excludedBuiltinAgents));
  const included = Array.isArray(includedBuiltinAgents) ? new Set(textsOf(includedBuiltinAgents)) : null;
  const isShipped = (name: string) => !excluded.has(name) && included?.has(name) !== false;
  const disabled = new Set(textsOf(recordOf(live.wire.subagents).disabledSubagents));
  const custom = agentsOfApp(live).flatMap(({ name, infer }) =>
    typeof name === "string" && infer !== false ? [name] : [],
  );
  const all = [...[...SHIPPED.keys()].filter(isShipped), ...custom];
  return all.filter((name) => !disabled.has(name));
}

/** Tools with which a model has other agents work for it. */
export const AGENT_DIFFERENCES: Readonly<Record<string, Difference>> = {
  task: {
    renamed: { agent: "agent_type" },
    properties: (live) => ({
      name: { type: "string", description: "A short name, which is the id of the agent" },
      agent_type: { type: "string", enum: agentNames(live), description: "Which agent" },
      mode: { type: "string", enum: ["sync", "background"], description: "sync waits for its answer" },
    }),
    required: ["agent_type", "prompt", "description"],
    toArgs: ({ mode, agent, name: _, ...args }) => ({
      ...args,
      agent: SHIPPED.get(textOf(agent) ?? "") ?? agent,
      mode: mode === "background" ? "background" : "wait",
    }),
    toResult: toTask,
  },
  read_agent: {
    renamed: { id: "agent_id" },
    toArgs: ({ id, ...args }, live) => ({ ...args, id: agentIdOf(live, String(id)) }),
    toResult: toReport,
  },
  list_agents: {},
};

/** Of what our own tools say about an agent, as data. */
function reportOf({ structured }: ToolResult): (Json & { readonly id: string }) | null {
  const report = recordOf(structured);
  return typeof report.id === "string" ? { ...report, id: report.id } : null;
}

function toTask(result: ToolResult, { args }: Called): ToolResult {
  const report = reportOf(result);
  if (report === null) return result;
  return reword(
    result,
    `Agent started in background with agent_id: ${textOf(args.name) ?? report.id}. You'll be notified when it completes. Tell the user you're waiting and end your response, or continue unrelated work until notified.`,
  );
}

function toReport(result: ToolResult, { live, args }: Called): ToolResult {
  const report = reportOf(result);
  if (report === null) return result;
  const { id, agent, status, elapsed, turns, description, text } = report;
  const type = agentsOf(live).get(id)?.type ?? String(agent);
  const seconds = Math.round((numberOf(elapsed) ?? 0) / 1_000);
  return reword(
    result,
    `Agent ${String(status)}. agent_id: ${textOf(args.agent_id) ?? id}, agent_type: ${type}, status: ${String(status)}, description: ${String(description)}, elapsed: ${seconds}s, total_turns: ${String(turns)}\n\n${textOf(text) ?? ""}`,
  );
}
