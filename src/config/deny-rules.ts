import type { Config } from "./config.ts";

/** The deny rules of a configuration: those of everybody, then those of the agent that it selects. */
export function denyRules({
  permissions,
  agent,
  agents,
}: Pick<Config, "permissions" | "agent" | "agents">): Config["permissions"]["deny"] {
  const own = agent === null ? undefined : agents.get(agent.value)?.denied;
  return own === undefined || own.length === 0 ? permissions.deny : [...permissions.deny, ...own];
}
