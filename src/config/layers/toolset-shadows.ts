import { formatOrigin, type Origin } from "../../core/codes/origin.ts";
import type { Notice } from "../../core/codes/reason.ts";
import { parseRule } from "../../core/rules/rule.ts";
import { type ConfigNode, mapNode, nodeAt } from "../../core/shape/node.ts";
import { entriesAt, itemsAt, readText } from "../../core/shape/read-node.ts";
import { coversName } from "./intersect-names.ts";
import type { Layer } from "./read-layers.ts";

const NAME_LISTS = [["excludeTools"], ["includeTools"], ["defaultAgent", "excludedTools"], ["policy", "deniedTools"]];
const RULE_LISTS = [
  ["permissions", "deny"],
  ["permissions", "ask"],
];

/**
 * A toolset's name comes before a tool's (I1), so a file that defines a set called `bash` would change what "never
 * bash" means elsewhere. Such sets are left out: below managed policy always, and in project files, trusted or not, if
 * a person's own configuration restricts by that name. Toolsets are never asked about, so trust does not matter here.
 */
export function withoutShadowingToolsets(layers: readonly Layer[]): {
  readonly layers: readonly Layer[];
  readonly notices: readonly Notice[];
} {
  const notices: Notice[] = [];
  const namesOf = (kind: Layer["kind"]) => restrictedNames(layers.filter((layer) => layer.kind === kind));
  const [byPolicy, byUser] = [namesOf("policy"), namesOf("user")];
  const includes = layers.flatMap(({ kind, root }) => (kind === "policy" ? (nodeAt(root, "includeTools") ?? []) : []));
  const kept = layers.map((layer) => {
    if (layer.kind === "policy") return layer;
    const isProject = layer.kind === "local" || layer.kind === "project";
    const isFree = (set: string, origin: Origin) => {
      const policy = byPolicy.find(({ name }) => shadows(set, name));
      const user = isProject ? byUser.find(({ name }) => shadows(set, name)) : undefined;
      const holder = policy ?? user;
      if (holder === undefined) return true;
      notices.push({
        level: "warning",
        code: policy === undefined ? "config.untrusted" : "config.policy-held",
        text: `the toolset "${set}" is left out: ${formatOrigin(holder.origin)} uses that name to restrict tools`,
        names: [set],
        origin,
      });
      return false;
    };
    return withoutTakenIds(withToolsets(layer, isFree), (id, origin) => {
      const holder = includes[0] ?? byPolicy.find(({ name }) => shadows(id, name));
      if (holder === undefined) return true;
      notices.push({
        level: "warning",
        code: "config.policy-held",
        text: `the id "${id}" is left out: ${formatOrigin(holder.origin)} restricts tools by their names`,
        names: [id],
        origin,
      });
      return false;
    });
  });
  return { layers: kept, notices };
}

/** A tool with another one's identifier would pass for it, if managed policy names what is allowed. */
function withoutTakenIds(layer: Layer, isFree: (id: string, origin: Origin) => boolean): Layer {
  const overrides = nodeAt(layer.root, "toolOverrides");
  if (overrides?.kind !== "map") return layer;
  const kept = [...overrides.entries].map(([name, override]): [string, ConfigNode] => {
    const id = readText(nodeAt(override, "id"));
    if (override.kind !== "map" || id === null || isFree(id.value, id.origin)) return [name, override];
    const rest = [...override.entries].filter(([key]) => key !== "id");
    return [name, mapNode(rest, override.origin)];
  });
  return withKey(layer, "toolOverrides", mapNode(kept, overrides.origin));
}

function withKey(layer: Layer, name: string, value: ConfigNode): Layer {
  const entries = [...layer.root.entries].map(([key, node]): [string, ConfigNode] => [
    key,
    key === name ? value : node,
  ]);
  return { ...layer, root: mapNode(entries, layer.root.origin) };
}

function withToolsets(layer: Layer, isFree: (set: string, origin: Origin) => boolean): Layer {
  const sets = nodeAt(layer.root, "toolsets");
  if (sets?.kind !== "map") return layer;
  const free = mapNode(
    [...sets.entries].filter(([name, set]) => {
      const id = readText(nodeAt(set, "id"));
      return isFree(name, set.origin) && (id === null || isFree(id.value, id.origin));
    }),
    sets.origin,
  );
  return withKey(layer, "toolsets", free);
}

interface Restricted {
  readonly name: string;
  readonly origin: Origin;
}

/** The names that restrictions use, and the content of the layers' own sets among these. */
function restrictedNames(layers: readonly Layer[]): readonly Restricted[] {
  const roots = layers.map(({ root }) => root);
  const at = (lists: readonly string[][]) => roots.flatMap((root) => lists.flatMap((path) => itemsAt(root, ...path)));
  const ofRule = (item: ConfigNode) => readText(item.kind === "map" ? nodeAt(item, "rule") : item)?.value ?? "";
  const found = [
    ...at(NAME_LISTS).map((item) => ({ name: readText(item)?.value ?? "", origin: item.origin })),
    ...at(RULE_LISTS).map((item) => ({ name: parseRule(ofRule(item), item.origin).tool, origin: item.origin })),
  ];
  const sets = roots.flatMap((root) => entriesAt(root, "toolsets"));
  const known = new Set(found.map(({ name }) => name));
  // It grows while it is walked: a set may contain others.
  for (const { name } of found) {
    const meant = sets.filter(([key, set]) =>
      [key, `toolset:${key}`, readText(nodeAt(set, "id"))?.value].includes(name),
    );
    for (const item of meant.flatMap(([, set]) => itemsAt(nodeAt(set, "members") ?? set))) {
      const member = readText(item)?.value ?? "";
      if (!known.has(member)) found.push({ name: member, origin: item.origin });
      known.add(member);
    }
  }
  return found;
}

/** The name, or its first part, would mean the set. */
function shadows(set: string, name: string): boolean {
  return (
    set === name || name.startsWith(`${set}/`) || set === `toolset:${name}` || (name !== "*" && coversName(name, set))
  );
}
