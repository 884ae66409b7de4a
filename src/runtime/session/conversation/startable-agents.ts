import type { Config } from "../../../config/config.ts";
import { namesAgent } from "../../../core/rules/named-agents.ts";
import type { KnownAgent } from "../../../sources/agents-port.ts";
import { withShippedAgents } from "../../agents/shipped-agents.ts";
import type { SessionSetting } from "../tools/setting.ts";

/** The agents that one of this configuration may start: those that somebody described, as nobody could choose the others. */
export function listStartable(config: Config, { shippedAgents }: SessionSetting): readonly KnownAgent[] {
  const { agents, agent } = config;
  const own = agent === null ? null : agents.get(agent.value)?.startable;
  const limits = [...(config.startable ?? []), ...(own ? [own] : [])];
  return [...withShippedAgents(agents, shippedAgents?.()).values()].flatMap(({ name, description, background }) => {
    const isOffered =
      description !== null && description.trim() !== "" && limits.every((list) => namesAgent(list, name));
    return isOffered ? [{ name, description, background }] : [];
  });
}
