import { SHIPPED_AGENTS } from "../core/call/shipped-agents.ts";
import { nearestNames } from "../core/codes/nearest-name.ts";
import type { Notice } from "../core/codes/reason.ts";
import { namesAgent } from "../core/rules/named-agents.ts";
import type { AgentConfig, Config } from "./config.ts";

/** Agents that an agent may start, and that do not exist: `Agent(lnit)` would leave it nobody to start. */
export function noticeStartable(
  { name: whose, startable }: AgentConfig,
  { agents }: Pick<Config, "agents">,
): readonly Notice[] {
  const known = [...SHIPPED_AGENTS, ...agents.keys()];
  return (startable?.value ?? []).flatMap(({ value: name, origin }): readonly Notice[] => {
    if (known.some((one) => namesAgent({ value: [{ value: name, origin }], origin }, one))) return [];
    const nearest = nearestNames(name, known);
    const hint = nearest.length === 0 ? "" : `; did you mean ${nearest.map((near) => `"${near}"`).join(" or ")}?`;
    const text = `tools of agent "${whose}" names the agent ${JSON.stringify(name.slice(0, 100))}, which does not exist${hint}`;
    return [{ level: "warning", code: "filter.unknown-name", text, names: [name], nearest, origin }];
  });
}
