import type { Origin } from "../codes/origin.ts";

/**
 * A configuration value as written. Keys are in a `Map`, never in a bare object, because anybody may have written the
 * file. In a map the origin is that of the key, in a list that of the item.
 */
export type ConfigNode = MapNode | ListNode | ScalarNode;
export type Scalar = string | number | boolean | null;

interface Noted {
  readonly origin: Origin;
  /** Origins of the same value in lower layers of a merged list. */
  readonly also?: readonly Origin[];
  /** The plain data it was made from, if any. */
  readonly plain?: unknown;
}
export interface MapNode extends Noted {
  readonly kind: "map";
  readonly entries: ReadonlyMap<string, ConfigNode>;
  /** One entry, if that is cheaper than making all of them. */
  readonly entry?: (key: string) => ConfigNode | undefined;
}
export interface ListNode extends Noted {
  readonly kind: "list";
  readonly items: readonly ConfigNode[];
  /** The lists that a narrowed list is the intersection of, to tell which of them lacks an item. */
  readonly narrows?: readonly ListNode[];
  /** The key as written, if that is an alias of the key here. */
  readonly called?: string;
}
export interface ScalarNode extends Noted {
  readonly kind: "scalar";
  readonly value: Scalar;
}

export function mapNode(entries: Iterable<readonly [string, ConfigNode]>, origin: Origin): MapNode {
  return { kind: "map", entries: new Map(entries), origin };
}

export function listNode(items: readonly ConfigNode[], origin: Origin): ListNode {
  return { kind: "list", items, origin };
}

export function scalarNode(value: Scalar, origin: Origin): ScalarNode {
  return { kind: "scalar", value, origin };
}

export function isNull(node: ConfigNode | undefined): boolean {
  return node === undefined || (node.kind === "scalar" && node.value === null);
}

/** An empty map or list. */
export function isEmpty(node: ConfigNode): boolean {
  return node.kind === "map" ? node.entries.size === 0 : node.kind === "list" && node.items.length === 0;
}

export function memberOf(node: ConfigNode | undefined, key: string): ConfigNode | undefined {
  if (node?.kind !== "map") return undefined;
  return node.entry === undefined ? node.entries.get(key) : node.entry(key);
}

/** The keys of a map as written. */
export function writtenKeys(node: ConfigNode): Iterable<string> {
  if (node.kind !== "map") return [];
  return node.plain === undefined ? node.entries.keys() : Object.keys(node.plain as object);
}

/** The node at a chain of keys, if every step is a map with that key. */
export function nodeAt(node: ConfigNode | undefined, ...keys: readonly string[]): ConfigNode | undefined {
  let at = node;
  for (const key of keys) at = memberOf(at, key);
  return at;
}

/** Plain data as a node with one origin for all of it. */
export function toNode(value: unknown, origin: Origin): ConfigNode {
  if (Array.isArray(value))
    return listNode(
      value.map((item) => toNode(item, origin)),
      origin,
    );
  if (typeof value !== "object" || value === null) return scalarNode(value as Scalar, origin); // Written data has no other types.
  return mapNode(
    Object.entries(value).map(([key, member]) => [key, toNode(member, origin)]),
    origin,
  );
}

/** The value as a program uses it. Objects have no prototype, so that a key can be any word. */
export function toPlain(node: ConfigNode): unknown {
  if (node.plain !== undefined) return node.plain;
  switch (node.kind) {
    case "scalar":
      return node.value;
    case "list":
      return node.items.map(toPlain);
    case "map": {
      const plain: Record<string, unknown> = Object.create(null);
      for (const [key, value] of node.entries) plain[key] = toPlain(value);
      return plain;
    }
  }
}

/** One text per value, whatever the order of keys: equal texts mean equal values. */
export function toCanonicalText(node: ConfigNode): string {
  switch (node.kind) {
    case "scalar":
      return JSON.stringify(node.value);
    case "list":
      return `[${node.items.map(toCanonicalText).join(",")}]`;
    case "map": {
      const keys = [...node.entries.keys()].sort();
      return `{${keys.map((key) => `${JSON.stringify(key)}:${toCanonicalText(node.entries.get(key) ?? NOTHING)}`).join(",")}}`;
    }
  }
}

const NOTHING: ScalarNode = scalarNode(null, { kind: "default" });
