import type { Origin } from "../../core/codes/origin.ts";
import { type ConfigNode, listNode, mapNode, type Scalar, scalarNode } from "../../core/shape/node.ts";

/** A plain value as configuration with one origin. */
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
