import type { NameList, Sourced } from "../core/codes/origin.ts";
import type { GroupList } from "../core/scene/scene.ts";
import { type ConfigNode, nodeAt } from "./config-node.ts";

/** These read nodes that `checkShape` has passed; what is absent or null is null. */
export function readText(node: ConfigNode | undefined): Sourced<string> | null {
  if (node?.kind !== "scalar" || node.value === null) return null;
  const { value, origin, also } = node;
  return { value: String(value), origin, ...(also === undefined ? {} : { also }) };
}

export function readNumber(node: ConfigNode | undefined): Sourced<number> | null {
  return node?.kind === "scalar" && typeof node.value === "number" ? { value: node.value, origin: node.origin } : null;
}

export function readFlag(node: ConfigNode | undefined): Sourced<boolean> | null {
  return node?.kind === "scalar" && typeof node.value === "boolean" ? { value: node.value, origin: node.origin } : null;
}

export function readChoice<T extends string>(node: ConfigNode | undefined, values: readonly T[]): Sourced<T> | null {
  const text = readText(node);
  const value = values.find((candidate) => candidate === text?.value);
  return text === null || value === undefined ? null : { value, origin: text.origin };
}

export function readNames(node: ConfigNode | undefined): NameList | null {
  if (node?.kind !== "list") return null;
  return { value: node.items.flatMap((item) => readText(item) ?? []), origin: node.origin };
}

/** A list that may be what several lists have in common. */
export function readGroups(node: ConfigNode | undefined): GroupList | null {
  const names = readNames(node);
  const lists = node?.kind === "list" ? (node.narrows ?? []).flatMap((list) => readNames(list) ?? []) : [];
  return names === null || lists.length === 0 ? names : { ...names, narrows: lists };
}

export function itemsAt(node: ConfigNode | undefined, ...keys: readonly string[]): readonly ConfigNode[] {
  const list = nodeAt(node, ...keys);
  return list?.kind === "list" ? list.items : [];
}

export function entriesAt(
  node: ConfigNode | undefined,
  ...keys: readonly string[]
): readonly (readonly [string, ConfigNode])[] {
  const map = nodeAt(node, ...keys);
  return map?.kind === "map" ? [...map.entries] : [];
}
