import type { Origin } from "../../core/codes/origin.ts";
import { type ConfigNode, listNode, type MapNode, mapNode, scalarNode, toNode } from "../../core/shape/node.ts";
import type { ImportedServer } from "./import-servers.ts";

/** Servers of other products' files as configuration, each with its origin. */
export function toStandIn(servers: readonly ImportedServer[]): MapNode {
  const origin: Origin = servers[0]?.origin ?? { kind: "default" };
  const entries = servers.map((server): [string, ConfigNode] => [server.name, toNode(server.entry, server.origin)]);
  const excluded = servers.flatMap(({ name, without = [], origin: place }) =>
    without.map((tool) => scalarNode(`${name}/${tool}`, place)),
  );
  const settings: readonly [string, ConfigNode][] =
    excluded.length === 0 ? [] : [["excludeTools", listNode(excluded, excluded[0]?.origin ?? origin)]];
  return mapNode([["mcpServers", mapNode(entries, origin)], ...settings], origin);
}
