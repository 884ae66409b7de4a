import type { Config } from "../../../config/config.ts";
import { serverOf, type Tool } from "../../../core/tool/tool.ts";

/** Whether the person who configured a server believes what its tools claim about themselves (X6). */
export function isTrustedServer(
  tool: Tool,
  { servers, agents, agent }: Pick<Config, "servers" | "agents" | "agent">,
): boolean {
  const server = serverOf(tool);
  if (server === null) return false;
  const selected = agent === null ? undefined : agents.get(agent.value)?.servers.get(server);
  return (servers.get(server) ?? selected)?.trustAnnotations.value === true;
}
