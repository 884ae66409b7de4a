import type { Origin } from "../../core/codes/origin.ts";
import { type ConfigNode, listNode, type MapNode, mapNode, type Scalar, scalarNode } from "../../core/shape/node.ts";
import type { ImportedServer } from "./import-servers.ts";

/** Servers of other products' files as configuration, each with the place where it was found. */
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

/** A plain value as configuration that all comes from one place. */
export function toNode(value: unknown, origin: Origin): ConfigNode {
  if (Array.isArray(value))
    return listNode(
      value.map((item) => toNode(item, origin)),
      origin,
    );
  if (typeof value !== "object" || value === null) return scalarNode(isScalar(value) ? value : String(value), origin);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return mapNode(
    members.map(([key, member]) => [key, toNode(member, origin)]),
    origin,
  );
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}
