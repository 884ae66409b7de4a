import { formatOrigin, type NameList, nameList, type Origin } from "../core/codes/origin.ts";
import type { Limit } from "../core/scene/scene.ts";
import type { ConfigNode, MapNode } from "../core/shape/node.ts";
import { readShape } from "../core/shape/read.ts";
import { readNames } from "../core/shape/read-node.ts";
import type { ShapeSurroundings } from "../core/shape/shape.ts";
import type { ServerConfig } from "./config.ts";
import { fileShape, type Settings } from "./shape/file-shape.ts";

/** The merged values in the types of the rest of the product. */
export function readSettings(root: MapNode, around: ShapeSurroundings): Settings {
  const {
    $schema: _schema,
    availableTools: _available,
    excludedTools: _excluded,
    mcpServers,
    openapi,
    ...rest
  } = readShape(root, fileShape, around);
  const servers = withApis(mcpServers, openapi, around);
  const { agents, disabledServers } = rest;
  return {
    ...rest,
    agents: new Map([...agents].map(([name, agent]) => [name, withOff(agent, disabledServers)])),
    ...withOff({ servers }, disabledServers),
  };
}

/** One namespace: if a server and an API have one name, the server gets it. */
function withApis(
  servers: Settings["servers"],
  apis: Settings["servers"],
  { notices }: ShapeSurroundings,
): Settings["servers"] {
  for (const { name, origin } of apis.values()) {
    const other = servers.get(name);
    if (other === undefined) continue;
    const text = `API "${name}" is left out: a server has that name (${formatOrigin(other.origin)}); rename one of them`;
    notices.push({ level: "warning", code: "server.name-taken", text, names: [name], origin });
  }
  return new Map([...apis, ...servers]);
}

/** Servers that are switched off by name, wherever they are configured. */
export function withOff<T extends Pick<Settings, "servers">>(holder: T, { value: names }: NameList): T {
  if (names.length === 0) return holder;
  const servers = [...holder.servers].map(([name, server]) => {
    const off = names.find(({ value }) => value === name);
    return [name, off === undefined ? server : turnedOff(server, off.origin)] as const;
  });
  return { ...holder, servers: new Map(servers) };
}

function turnedOff(server: ServerConfig, origin: Origin): ServerConfig {
  return { ...server, enabled: { value: false, origin }, disabledBy: origin };
}

/** Include lists that apply in addition to `includeTools`. */
export function toLimits(lists: readonly ConfigNode[], by: NonNullable<Limit["by"]>): readonly Limit[] {
  return lists.map((list) => ({ include: readNames(list), exclude: nameList([], list.origin), by }));
}
