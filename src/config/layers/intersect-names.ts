import { toGlob } from "../../core/catalog/glob.ts";
import { type ConfigNode, type ListNode, toCanonicalText } from "../../core/shape/node.ts";

/** A `*` in one of these can only mean tools; bare words might also name sets or servers. */
const QUALIFIED = /^(?:.*\/|builtin:|mcp:|custom:|skill:|mcp__)/;

/**
 * The intersection of two lists of names, as far as their spelling proves it: policy may only be narrowed, so an entry
 * that is not provably inside the policy's list is dropped.
 */
export function intersectNames(
  policy: ListNode,
  below: ListNode,
): { readonly kept: ListNode; readonly dropped: readonly ConfigNode[] } {
  const kept = new Map<string, ConfigNode>();
  const dropped: ConfigNode[] = [];
  for (const item of below.items) {
    const isCovered = policy.items.some((limit) => covers(limit, item));
    const inside = isCovered ? [item] : policy.items.filter((limit) => covers(item, limit));
    if (inside.length === 0) dropped.push(item);
    for (const entry of inside) kept.set(toCanonicalText(entry), entry);
  }
  return { kept: { kind: "list", items: [...kept.values()], origin: policy.origin }, dropped };
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

/** All up to the last segment, which alone may contain `*`. */
function frontOf(name: string): string {
  return name.slice(0, name.lastIndexOf("/") + 1);
}
