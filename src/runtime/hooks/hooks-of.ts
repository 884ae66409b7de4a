import type { Config } from "../../config/config.ts";
import type { HookEvent, HookLists } from "../../config/shape/hook-shape.ts";

/** The commands that see the calls of a configuration's agent: those of everybody, then its own. */
export function hooksOf({ hooks, agent, agents, isSubagent }: Config): HookLists {
  const own = agent === null ? undefined : agents.get(agent.value)?.hooks;
  if (own === undefined || own.size === 0) return hooks;
  const all = new Map(hooks);
  for (const [event, list] of own) {
    // What an agent does when it stops is said in one way, whomever it works for.
    const meant: HookEvent = event === "agentStop" && isSubagent === true ? "subagentStop" : event;
    all.set(meant, [...(all.get(meant) ?? []), ...list]);
  }
  return all;
}
