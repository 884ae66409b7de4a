import { toGlob } from "../core/catalog/glob.ts";
import { type ConfigNode, type ListNode, nodeAt, toCanonicalText } from "./config-node.ts";

/** A `*` in one of these can only stand for tools; bare words might also name sets or servers. */
const QUALIFIED = /^(?:.*\/|builtin:|mcp:|custom:|skill:|mcp__)/;

/**
 * What two lists of identifiers both mention, as far as their spelling proves it: policy may only be narrowed, so an
 * entry that cannot be shown to lie inside the policy's list is dropped. Toolsets are looked into where that helps.
 */
export function intersectNames(
  policy: ListNode,
  below: ListNode,
  toolsets: ConfigNode | null,
): { readonly kept: ListNode; readonly dropped: readonly ConfigNode[] } {
  const kept = new Map<string, ConfigNode>();
  const dropped: ConfigNode[] = [];
  for (const item of below.items) {
    const inside = expand(item).flatMap(overlap);
    if (inside.length === 0) dropped.push(item);
    for (const entry of inside) kept.set(toCanonicalText(entry), entry);
  }
  return { kept: { kind: "list", items: [...kept.values()], origin: policy.origin }, dropped };

  /** The entry itself where policy covers it, and the policy's entries that it covers. */
  function overlap(entry: ConfigNode): readonly ConfigNode[] {
    return isCovered(entry) ? [entry] : policy.items.filter((limit) => covers(entry, limit));
  }

  /** Each set is opened once, so that sets which name each other cost no more than they hold. */
  function expand(item: ConfigNode): readonly ConfigNode[] {
    const found: ConfigNode[] = [];
    const seen = new Set<string>();
    const open = [item];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const name = textOf(at);
      const members = toolsets === null || name === null || isCovered(at) ? undefined : nodeAt(toolsets, name);
      if (members?.kind !== "list") found.push(at);
      else if (!seen.has(name ?? "")) for (const member of members.items) open.push({ ...member, origin: item.origin });
      seen.add(name ?? "");
    }
    return found;
  }

  function isCovered(entry: ConfigNode): boolean {
    return policy.items.some((limit) => covers(limit, entry));
  }
}

/** Whether everything that `inner` can mean is also meant by `outer`. */
export function coversName(outer: string, inner: string): boolean {
  if (outer === inner || outer === "*" || inner.startsWith(`${outer}/`)) return true;
  if (!outer.includes("*") || !QUALIFIED.test(outer)) return false;
  return frontOf(outer) === frontOf(inner) && toGlob(outer)(inner);
}

function covers(outer: ConfigNode, inner: ConfigNode): boolean {
  const [a, b] = [textOf(outer), textOf(inner)];
  return a === null || b === null ? toCanonicalText(outer) === toCanonicalText(inner) : coversName(a, b);
}

function textOf(node: ConfigNode): string | null {
  return node.kind === "scalar" && typeof node.value === "string" ? node.value : null;
}

/** All up to the last segment, in which alone `*` may stand. */
function frontOf(name: string): string {
  return name.slice(0, name.lastIndexOf("/") + 1);
}
