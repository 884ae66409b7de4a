import { createHash } from "node:crypto";
import type { Origin } from "../../core/codes/origin.ts";
import { type ConfigNode, listNode, mapNode, nodeAt, toCanonicalText } from "../../core/shape/node.ts";
import { type Covered, fieldOf, optionFor, type Shape } from "../../core/shape/shape.ts";

/** One thing in a project file that counts only when it is trusted, by itself. */
export interface ShownValue {
  readonly path: string;
  readonly value: string;
}

export interface WrittenItem {
  /** `server`, `hook`, `allow rule` … */
  readonly what: string;
  readonly name: string;
  readonly path: string;
  readonly origin: Origin;
  /** Of the path and the value as written, so that any change shows. */
  readonly hash: string;
  /** Real path of the folder that it speaks for, with all below; null for what is no project's, the workspace if absent. */
  readonly folder?: string | null;
  /** What a program that was found would run, where no entry says it. */
  readonly runs?: readonly ShownValue[];
}

export interface TrustItem extends WrittenItem {
  /** `changed`: something else of that name was trusted. */
  readonly standing: "trusted" | "changed" | "new";
}

/** Something that can refuse calls, as it is written. */
export interface WrittenGuard extends WrittenItem {
  readonly covers: Covered;
  /** Whether it is in force. */
  readonly counts: boolean;
}

export interface SplitByTrust {
  /** The value without what waits for trust. */
  readonly kept: ConfigNode | null;
  /** What needs trust, whether it has it or not. */
  readonly items: readonly WrittenItem[];
  readonly guards: readonly WrittenGuard[];
}

export function splitByTrust(
  node: ConfigNode,
  shape: Shape,
  isTrusted: (item: WrittenItem) => boolean,
  path = "",
): SplitByTrust {
  const items: WrittenItem[] = [];
  const guards: WrittenGuard[] = [];
  return { kept: keep(node, shape, path, ""), items, guards };

  function keep(at: ConfigNode, as: Shape, where: string, name: string): ConfigNode | null {
    if (as.trust !== undefined && (as.trust.when?.(at) ?? true)) {
      const item = toItem(at, as.trust.what, where, name);
      const covers = as.trust.guards?.(at, where) ?? null;
      const counts = as.trust.narrows === true || isTrusted(item);
      if (as.trust.narrows !== true) items.push(item);
      if (covers !== null) guards.push({ ...item, covers, counts });
      return counts ? at : null;
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

export function describeItem({ what, name }: Pick<WrittenItem, "what" | "name">): string {
  return `${what} ${name}`;
}

/** What makes two items the same thing, changed or not. */
export function identityOf({ what, path, name }: Pick<WrittenItem, "what" | "path" | "name">): string {
  return JSON.stringify([what, path, name]);
}

function toItem(node: ConfigNode, what: string, path: string, key: string): WrittenItem {
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
