import type { Config } from "../../../config/config.ts";
import { isStricter, toChildConfig } from "../../agents/child-config.ts";
import type { OpenSession, SessionBase } from "../tools/session.ts";
import type { SessionSetting } from "../tools/setting.ts";

/** How the agent was started. */
interface Started {
  readonly name: string;
  readonly depth: number;
  readonly shippedAgents: SessionSetting["shippedAgents"];
}

/**
 * What its parent may not do any longer, an agent may not do for it, even if it began before (E1, A4). It stays what it
 * was started as: its own definition, servers and parent's agent are as they were then. Its mode never gets looser (B3).
 */
export function followParent(parent: SessionBase, child: OpenSession, before: Config, started: Started): () => void {
  const { name, depth, shippedAgents } = started;
  const { agent: ownAgent, agents: ownAgents, limits: ownLimits } = child.config;
  const follow = (): void => {
    const { agent, agents, servers, limits } = before;
    const given = { ...parent.config, agent, agents, servers };
    const { config } = toChildConfig(given, name, depth, { shipped: shippedAgents?.() });
    // What holds for one prompt alone is about what its parent does itself.
    const more = parent.config.limits.filter((limit) => limit.by !== "prompt" && !limits.includes(limit));
    const { mode } = child.config.permissions;
    const isLooser = isStricter(mode.value, config.permissions.mode.value);
    const next: Config = {
      ...config,
      ...{ agent: ownAgent, agents: ownAgents, limits: [...ownLimits, ...more] },
      permissions: isLooser ? { ...config.permissions, mode } : config.permissions,
    };
    // One that is over needs no rules.
    child.reconfigure(next).catch(() => {});
  };
  const stops = [parent.reconfigured(follow), parent.on("session.mode_changed", follow)];
  if (parent.config !== before) follow();
  return () => {
    for (const stop of stops) stop();
  };
}
