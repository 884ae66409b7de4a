import type { Config } from "../../config/config.ts";
import type { Tool } from "../../core/tool/tool.ts";

/** Whether the person who configured a server believes what its tools claim about themselves (X6). */
export function isTrustedServer(
  { source, server }: Tool,
  { servers, agents, agent }: Pick<Config, "servers" | "agents" | "agent">,
): boolean {
  if (source !== "mcp" || server === null) return false;
  const selected = agent === null ? undefined : agents.get(agent.value)?.servers.get(server);
  return (servers.get(server) ?? selected)?.trustAnnotations.value === true;
}
