import { type ConfigNode, isNull, type MapNode, mapNode, nodeAt, toCanonicalText } from "../../core/shape/node.ts";
import { fieldOf, type IsStricter, type Shape } from "../../core/shape/shape.ts";
import { fileShape } from "../shape/file-shape.ts";
import { intersectNames } from "./intersect-names.ts";
import type { Layer } from "./read-layers.ts";

/** Called for each value of a lower layer that managed policy overrides. */
export type OnOverridden = (path: string, value: ConfigNode, policy: ConfigNode) => void;

export interface Merged {
  readonly root: MapNode;
  /** Include lists of policy files, which are not in `root`: each applies by itself, whatever the names mean. */
  readonly limits: readonly ConfigNode[];
}

/**
 * Merges all layers, highest first. Policy files are applied on top in a second step, in which lists that may only be
 * narrowed are intersected, and ordered values are the stricter of both. Their include lists stay separate: one that
 * counted as `includeTools` would override what lower layers remove with patterns or from the default agent (F2, A2).
 */
export function mergeLayers(layers: readonly Layer[], onOverridden: OnOverridden = () => undefined): Merged {
  const roots = (policy: boolean) =>
    layers.filter(({ kind }) => (kind === "policy") === policy).map(({ root }) => root);
  const silent = () => undefined;
  const below = mergeRoots(roots(false), { policy: false, onOverridden: silent });
  const policies = roots(true);
  if (policies.length === 0) return { root: below, limits: [] };
  const policy = mergeRoots(policies, { policy: true, onOverridden: silent });
  const limits = policies.flatMap((root) => nodeAt(root, INCLUDE) ?? []).filter((list) => list.kind === "list");
  const rest = mapNode(
    [...policy.entries].filter(([key]) => key !== INCLUDE),
    policy.origin,
  );
  return { root: mergeRoots([rest, below], { policy: true, onOverridden }), limits };
}

const INCLUDE = "includeTools";

interface Merge {
  readonly policy: boolean;
  readonly onOverridden: OnOverridden;
}

function mergeRoots(roots: readonly MapNode[], merge: Merge): MapNode {
  const merged = roots.length === 0 ? undefined : mergeNodes(fileShape, roots, "", merge);
  return merged?.kind === "map" ? merged : mapNode([], { kind: "default" });
}

function mergeNodes(shape: Shape, nodes: readonly ConfigNode[], path: string, merge: Merge): ConfigNode | undefined {
  const said = nodes.filter((node) => !isNull(node));
  const [first] = said;
  if (merge.policy && path === INCLUDE) return said.at(-1);
  const { narrow } = shape;
  if (merge.policy && narrow !== undefined && said.length > 1)
    return said.reduce((a, b) => (narrow === true ? narrowed(path, a, b, merge) : stricter(path, a, b, narrow, merge)));
  const rule = shape.merge ?? (shape.kind === "record" || shape.kind === "map" ? "by-key" : "replace");
  switch (rule) {
    case "replace": {
      // Null is a value of its own, but in a policy file it says nothing.
      const top = shape.nullable === true && !merge.policy ? nodes[0] : first;
      for (const lower of said) {
        if (top !== undefined && toCanonicalText(lower) !== toCanonicalText(top)) merge.onOverridden(path, lower, top);
      }
      return top;
    }
    case "union":
      return first === undefined ? undefined : joined(said, toCanonicalText);
    case "append":
      return first === undefined ? undefined : joined([...said].reverse(), toCanonicalText);
    case "by-name":
      return first === undefined ? undefined : joined(said, nameOf);
    case "by-key": {
      if (first === undefined) return undefined;
      const keys = new Set(said.flatMap((node) => (node.kind === "map" ? [...node.entries.keys()] : [])));
      const entries = [...keys].flatMap((key): [string, ConfigNode][] => {
        const inner = shape.kind === "map" ? shape.of : shape.kind === "record" ? fieldOf(shape, key) : undefined;
        const values = said.flatMap((node) => nodeAt(node, key) ?? []);
        const value =
          inner === undefined ? undefined : mergeNodes(inner, values, path === "" ? key : `${path}.${key}`, merge);
        // A name that a person chose exists even without a value; a setting without a value does not.
        const kept = value ?? (shape.kind === "map" ? values[0] : undefined);
        return kept === undefined ? [] : [[key, kept]];
      });
      return mapNode(entries, first.origin);
    }
  }
}

function narrowed(path: string, policy: ConfigNode, below: ConfigNode, merge: Merge): ConfigNode {
  if (policy.kind !== "list" || below.kind !== "list") return policy;
  const { kept, dropped } = intersectNames(policy, below);
  for (const item of dropped) merge.onOverridden(path, item, policy);
  return { ...kept, narrows: [policy, below].flatMap((list) => list.narrows ?? [list]) };
}

function stricter(
  path: string,
  policy: ConfigNode,
  below: ConfigNode,
  isStricter: IsStricter,
  { onOverridden }: Merge,
): ConfigNode {
  if (toCanonicalText(policy) === toCanonicalText(below)) return policy;
  if (policy.kind === "scalar" && below.kind === "scalar" && isStricter(below.value, policy.value)) return below;
  onOverridden(path, below, policy);
  return policy;
}

/** The items of all lists; of those with equal keys, the first, which records the origins of the others. */
function joined(nodes: readonly ConfigNode[], keyOf: (item: ConfigNode) => string): ConfigNode | undefined {
  const [first] = nodes;
  if (first === undefined) return undefined;
  const items = new Map<string, ConfigNode>();
  for (const node of nodes) {
    for (const item of node.kind === "list" ? node.items : []) {
      const key = keyOf(item);
      const earlier = items.get(key);
      items.set(key, earlier === undefined ? item : withOther(earlier, item));
    }
  }
  return { kind: "list", items: [...items.values()], origin: first.origin, ...calledOf(nodes) };
}

/** Lists with different names share the usual one. */
function calledOf(nodes: readonly ConfigNode[]): { readonly called?: string } {
  const [name, ...others] = new Set(nodes.map((node) => (node.kind === "list" ? node.called : undefined)));
  return name === undefined || others.length > 0 ? {} : { called: name };
}

/** To remove the value, a person must know every place that sets it. */
function withOther(kept: ConfigNode, other: ConfigNode): ConfigNode {
  if (toCanonicalText(kept) !== toCanonicalText(other)) return kept;
  return { ...kept, also: [...(kept.also ?? []), other.origin, ...(other.also ?? [])] };
}

function nameOf(item: ConfigNode): string {
  const name = nodeAt(item, "name");
  return name?.kind === "scalar" ? `name ${String(name.value)}` : toCanonicalText(item);
}
