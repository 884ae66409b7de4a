import type { SessionMethod } from "../method.ts";
import { applyOptions } from "../sessions/servers.ts";
import { type Live, tell } from "../state/live.ts";
import { agentsOfApp } from "../tools/given-agents.ts";
import { type Json, stated, textOf } from "../wire/wire-values.ts";

/** Custom agents. */
export const AGENT_METHODS: Readonly<Record<string, SessionMethod>> = {
  "agent.list": (live) => ({ agents: listAgents(live) }),
  "agent.reload": async (live) => {
    await applyOptions(live);
    return { agents: listAgents(live) };
  },
  "agent.getCurrent": (live) => ({ agent: listAgents(live).find(({ name }) => name === live.agent) ?? null }),
  "agent.select": async (live, { name }) => {
    const agent = listAgents(live).find((one) => one.name === name);
    if (agent === undefined) throw new Error(`Agent not found: ${String(name)}`);
    live.agent = textOf(name) ?? null;
    await applyOptions(live);
    tell(live, "subagent.selected", {
      agentName: agent.name,
      agentDisplayName: agent.displayName,
      tools: agent.tools ?? null,
    });
    return { agent };
  },
  "agent.deselect": async (live) => {
    live.agent = null;
    await applyOptions(live);
    tell(live, "subagent.deselected", {});
    return {};
  },
};

function listAgents(live: Live): readonly Json[] {
  return agentsOfApp(live).map(({ name, displayName, description, tools, model, mcpServers }) =>
    stated({
      id: name,
      name,
      displayName: textOf(displayName) ?? name,
      description: textOf(description) ?? "",
      tools: Array.isArray(tools) ? tools : undefined,
      model: textOf(model),
      mcpServers,
    }),
  );
}
