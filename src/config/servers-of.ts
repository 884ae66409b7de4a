import type { Config, ServerConfig } from "./config.ts";
import { isManaged } from "./managed.ts";

type ServerLists = Pick<Config, "agent" | "agents" | "servers" | "files">;

/** The servers that a configuration starts: its own, and those of the selected agent. */
export function serversOf(config: ServerLists): ReadonlyMap<string, ServerConfig> {
  const names = new Set([...(ownServers(config)?.keys() ?? []), ...config.servers.keys()]);
  return new Map(
    [...names].flatMap((name) => {
      const server = serverNamed(config, name);
      return server === undefined ? [] : [[name, server] as const];
    }),
  );
}

/**
 * One of them. A configured server keeps its name: rules and approvals are about it, so that no file of an agent may put
 * another in its place. A program that brings an agent with a server of its own means that one, for that agent alone; managed
 * policy holds even so.
 */
export function serverNamed(config: ServerLists, name: string): ServerConfig | undefined {
  const shared = config.servers.get(name);
  const own = ownServers(config)?.get(name);
  if (shared === undefined || own === undefined) return shared ?? own;
  return own.origin.kind === "call" && !isManaged(config, shared.origin) ? own : shared;
}

/** Servers of the selected agent that are not used, because a configured one has their name. */
export function replacedServers(config: ServerLists): readonly ServerConfig[] {
  return [...(ownServers(config)?.values() ?? [])].filter((own) => serverNamed(config, own.name) !== own);
}

function ownServers({ agent, agents }: ServerLists): ReadonlyMap<string, ServerConfig> | undefined {
  return agent === null ? undefined : agents.get(agent.value)?.servers;
}
