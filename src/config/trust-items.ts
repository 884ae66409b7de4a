import { createHash } from "node:crypto";
import type { Origin } from "../core/codes/origin.ts";
import { type ConfigNode, listNode, mapNode, nodeAt, toCanonicalText } from "../core/shape/node.ts";
import { fieldOf, optionFor, type Shape } from "../core/shape/shape.ts";

/** One thing in a project file that counts only in a trusted workspace. */
export interface TrustItem {
  /** `server`, `hook`, `allow rule` … */
  readonly what: string;
  readonly name: string;
  readonly path: string;
  readonly origin: Origin;
  /** Of the path and the value as written, so that any change shows. */
  readonly hash: string;
}

/** The value without what needs trust, and what that was. */
export function splitByTrust(
  node: ConfigNode,
  shape: Shape,
  path = "",
): { readonly kept: ConfigNode | null; readonly items: readonly TrustItem[] } {
  const items: TrustItem[] = [];
  return { kept: keep(node, shape, path, ""), items };

  function keep(at: ConfigNode, as: Shape, where: string, name: string): ConfigNode | null {
    if (as.trust !== undefined && (as.trust.when?.(at) ?? true)) {
      items.push(toItem(at, as.trust.what, where, name));
      return null;
    }
    if (as.kind === "either") {
      const option = optionFor(as, at);
      return option === undefined ? at : keep(at, option, where, name);
    }
    if (at.kind === "list" && as.kind === "list") {
      return listNode(
        at.items.flatMap((item) => keep(item, as.of, `${where}[]`, "") ?? []),
        at.origin,
      );
    }
    if (at.kind !== "map") return at;
    const entries = [...at.entries].flatMap(([key, value]): [string, ConfigNode][] => {
      const inner = as.kind === "map" ? as.of : as.kind === "record" ? fieldOf(as, key) : undefined;
      const kept = inner === undefined ? value : keep(value, inner, where === "" ? key : `${where}.${key}`, key);
      return kept === null ? [] : [[key, kept]];
    });
    return mapNode(entries, at.origin);
  }
}

export function describeItem({ what, name }: Pick<TrustItem, "what" | "name">): string {
  return `${what} ${name}`;
}

function toItem(node: ConfigNode, what: string, path: string, key: string): TrustItem {
  const text = toCanonicalText(node);
  const hash = createHash("sha256")
    .update(JSON.stringify([path, text]))
    .digest("hex");
  return { what, name: labelOf(node, path, key), path, origin: node.origin, hash };
}

function labelOf(node: ConfigNode, path: string, key: string): string {
  if (node.kind === "scalar") return path.endsWith("[]") ? String(node.value) : path;
  for (const field of ["name", "command", "agent", "rule"]) {
    const label = nodeAt(node, field);
    if (key === "" && label?.kind === "scalar") return String(label.value);
  }
  if (key !== "") return key;
  // Every item of a list has the same path, which names none of them.
  return path.endsWith("[]") ? "without a name" : path;
}
