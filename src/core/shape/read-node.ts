import type { NameList, Sourced } from "../codes/origin.ts";
import { type ConfigNode, nodeAt } from "./node.ts";

/** These read nodes that `checkShape` has passed; absent or null becomes null. */
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

export function readNames(node: ConfigNode | undefined): NameList | null {
  if (node?.kind !== "list") return null;
  const value = node.items.flatMap((item) => readText(item) ?? []);
  return { value, origin: node.origin, ...(node.called === undefined ? {} : { called: node.called }) };
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
