import { type ConfigNode, listNode, type MapNode, mapNode } from "../../core/shape/node.ts";
import { entriesAt } from "../../core/shape/read-node.ts";

/** A server with other keys, and some of their values taken apart. */
function renamed(
  server: MapNode,
  keys: Readonly<Record<string, (node: ConfigNode) => readonly (readonly [string, ConfigNode])[]>>,
): MapNode {
  const entries = [...server.entries].flatMap(([key, node]) => keys[key]?.(node) ?? [[key, node] as const]);
  return mapNode(entries, server.origin);
}

const as = (key: string) => (node: ConfigNode) => [[key, node] as const];

/** The command and its arguments are one list, and the time is how long it may take to start. */
export function fromOpencode(server: MapNode): MapNode {
  return renamed(server, {
    command: (node) => {
      const [first, ...rest] = node.kind === "list" ? node.items : [];
      return first === undefined
        ? [["command", node]]
        : [
            ["command", first],
            ["args", listNode(rest, node.origin)],
          ];
    },
    environment: as("env"),
    timeout: as("startup_timeout_ms"),
  });
}

/** Older files have the whole process under `command`. */
export function fromZed(server: MapNode): MapNode {
  return renamed(server, {
    source: () => [],
    command: (node) =>
      node.kind === "map" ? [...renamed(node, { path: as("command") }).entries] : [["command", node]],
  });
}

/** Its times are in seconds. */
export function fromCline(server: MapNode): MapNode {
  return renamed(server, { timeout: as("tool_timeout_sec") });
}

/** The headers of remote ones are among the options of a request. */
export function fromContinue(server: MapNode): MapNode {
  return renamed(server, {
    name: () => [],
    requestOptions: (node) => entriesAt(node),
    connectionTimeout: as("startup_timeout_ms"),
  });
}
