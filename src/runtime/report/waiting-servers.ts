import type { Config } from "../../config/config.ts";
import { formatOrigin } from "../../core/codes/origin.ts";
import type { Notice } from "../../core/codes/reason.ts";
import type { LeftOut } from "../../core/toolset/toolset.ts";

type Trusting = Pick<Config, "trust" | "servers">;

/** Duplicated here, so that a question about a world file loads nothing of the configuration. */
const waitingItems = ({ items }: Config["trust"]): Config["trust"]["items"] =>
  items.filter(({ standing }) => standing !== "trusted");

/** What a project asks for and nobody has trusted is in no configuration, yet people look for it. */
export function waitingServers({ trust, servers }: Trusting): Config["trust"]["items"] {
  return waitingItems(trust).filter(({ what, name }) => what === "server" && !servers.has(name));
}

/** Module tools and skill folders that wait for trust, so that people who look for them get an answer. */
export function waitingTools({ trust }: Pick<Config, "trust">): readonly LeftOut[] {
  return waitingItems(trust)
    .filter(({ what }) => what === "module tool" || what === "extension")
    .map(({ what, name, origin }) => ({
      names: [name],
      text: `the ${what} "${name}" (${formatOrigin(origin)}) is left out until it is trusted: toolcrib trust`,
    }));
}

/** Servers of agents that are not selected: they are not started, but people look for their tools all the same. */
export function otherAgentsServers({ agent, agents, servers }: AgentServers): readonly LeftOut[] {
  const selected = agent === null ? undefined : agents.get(agent.value);
  return [...agents.values()]
    .flatMap((other) => [...other.servers.values()].map((server) => ({ other, server })))
    .filter(({ server }) => !servers.has(server.name) && selected?.servers.has(server.name) !== true)
    .map(({ other, server: { name, origin } }) => ({
      names: [],
      server: name,
      text: `server "${name}" (${formatOrigin(origin)}) is there only for agent "${other.name}"; select that agent, or add the server to mcpServers`,
    }));
}

type AgentServers = Pick<Config, "agent" | "agents" | "servers">;

/**
 * Whether a name is that of a server that was not started, or of one of its tools: that it is unknown proves nothing.
 */
export function namesOf(servers: readonly { readonly name: string }[]): (name: string) => boolean {
  const starts = servers.flatMap(({ name }) => [`${name}/`, `${name}__`, `mcp__${name}__`]);
  return (name) => servers.some((server) => server.name === name) || starts.some((start) => name.startsWith(start));
}

/** Names of a server that waits for trust are not reported as unknown, but as waiting (I3). */
export function withoutWaiting(notices: readonly Notice[], config: Trusting): readonly Notice[] {
  const waiting = waitingServers(config);
  if (waiting.length === 0) return notices;
  const isOf = waiting.map((server) => ({ server: server.name, has: namesOf([server]) }));
  return notices.map((notice): Notice => {
    if (notice.code !== "filter.unknown-name" && notice.code !== "toolset.unknown-member") return notice;
    const owners = notice.names.map((name) => isOf.find(({ has }) => has(name))?.server);
    if (owners.length === 0 || owners.includes(undefined)) return notice;
    const named = notice.names.map((name) => JSON.stringify(name.slice(0, 100))).join(", ");
    const servers = [...new Set(owners)].map((name) => JSON.stringify(name)).join(", ");
    const text = `a list names ${named}; server ${servers} is left out until it is trusted: toolcrib trust`;
    return { ...notice, level: "info", code: "filter.pending", text };
  });
}
