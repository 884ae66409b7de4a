import { createHash } from "node:crypto";
import type { Origin } from "../../core/codes/origin.ts";
import { type ConfigNode, type MapNode, mapNode, nodeAt, toCanonicalText } from "../../core/shape/node.ts";
import { itemsAt, readText } from "../../core/shape/read-node.ts";
import {
  type Covered,
  fieldOf,
  isLeaf,
  type Own,
  optionFor,
  type RecordShape,
  type Shape,
  type TrustMark,
} from "../../core/shape/shape.ts";
import { isRepeatable } from "../../core/trust/repeatable.ts";

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
  /** Hash of the path and the value as written, so that any change shows. */
  readonly hash: string;
  /** Real path of the folder it applies to, with all below; null if it is no project's, the workspace if absent. */
  readonly folder?: string | null;
  /** What a found program would run, if no entry says it. */
  readonly runs?: readonly ShownValue[];
  /** The entries that it belongs to, each as `describeItem` gives it: choosing one of those includes this. */
  readonly of?: readonly string[];
}

export interface TrustItem extends WrittenItem {
  /** Not in use now, like an agent that is not selected: its trust does not matter yet. */
  readonly idle?: true;
  /** `changed`: something else of that name was trusted. */
  readonly standing: "trusted" | "changed" | "new";
}

/** Something that can refuse calls, as written. */
export interface WrittenGuard extends WrittenItem {
  readonly covers: Covered;
  /** Whether it is in force. */
  readonly counts: boolean;
  /** Whether its absence would be reported. */
  readonly kept?: boolean;
}

export interface SplitByTrust {
  /** The value without what waits for trust. */
  readonly kept: ConfigNode | null;
  /** What needs trust, trusted or not. */
  readonly items: readonly WrittenItem[];
  readonly guards: readonly WrittenGuard[];
}

export function splitByTrust(
  node: ConfigNode,
  shape: Shape,
  isTrusted: (item: WrittenItem) => boolean,
  { path = "", here, root }: Partial<Own> & { readonly path?: string } = {},
): SplitByTrust {
  const items: WrittenItem[] = [];
  const guards: WrittenGuard[] = [];
  return { kept: keep(node, shape, path, "", here), items, guards };

  function keep(
    at: ConfigNode,
    as: Shape,
    where: string,
    name: string,
    here: ConfigNode | undefined,
  ): ConfigNode | null {
    const mark: TrustMark | undefined = as.trust ?? (isLeaf(as) ? UNMARKED : undefined);
    if (mark !== undefined) return judge(at, as, mark, where, name, here);
    if (as.kind === "either") {
      const option = optionFor(as, at);
      return option === undefined ? at : keep(at, option, where, name, here);
    }
    if (at.kind === "list" && as.kind === "list") {
      return {
        ...at,
        items: at.items.flatMap(
          (item) =>
            keep(item, as.of, `${where}[]`, "", as.merge === "by-name" ? namesake(item, here) : undefined) ?? [],
        ),
      };
    }
    if (at.kind !== "map") return at;
    const entries = [...at.entries].flatMap(([key, value]): [string, ConfigNode][] => {
      const inner = as.kind === "map" ? as.of : as.kind === "record" ? fieldOf(as, key) : undefined;
      const below = where === "" ? key : `${where}.${key}`;
      const kept = inner === undefined ? value : keep(value, inner, below, key, nodeAt(here, key));
      return kept === null ? [] : [[key, kept]];
    });
    return mapNode(entries, at.origin);
  }

  function judge(
    at: ConfigNode,
    as: Shape,
    mark: TrustMark,
    where: string,
    name: string,
    own: ConfigNode | undefined,
  ): ConfigNode | null {
    if ("keeps" in mark && mark.keeps !== undefined && at.kind === "map" && as.kind === "record")
      return judgeInParts(at, as, mark, mark.keeps, where, name, own);
    const covers = mark.guards?.(at, where) ?? null;
    const narrows =
      (covers !== null || mayBeRepeated(at, name)) &&
      ("narrows" in mark || mark.when?.(at, { here: own, root, key: name }) === false || holdsAnyway(at, as, own));
    if (narrows && covers === null) return at;
    const item = toItem(at, mark.what ?? "wording", where, name);
    const counts = narrows || isTrusted(item);
    if (!narrows) items.push(item);
    if (covers !== null) guards.push({ ...item, covers, counts });
    return counts ? at : null;
  }

  /** Fields that only narrow count at once, parts with their own marks wait by themselves, and the rest is one item. */
  function judgeInParts(
    at: MapNode,
    as: RecordShape,
    { what }: TrustMark,
    keeps: readonly string[],
    where: string,
    name: string,
    own: ConfigNode | undefined,
  ): ConfigNode | null {
    const isApart = (key: string): boolean => !isLeaf(fieldOf(as, key) ?? as);
    const rest = only(at, (key) => !isApart(key));
    const apart = [...at.entries].flatMap(([key, value]): [string, ConfigNode][] => {
      const inner = isApart(key) ? fieldOf(as, key) : undefined;
      // A single part has the name of the whole, several have names of their own.
      const called = inner?.kind === "record" ? labelOf(rest, where, name) : key;
      const kept = inner === undefined ? null : keep(value, inner, `${where}.${key}`, called, undefined);
      return kept === null ? [] : [[key, kept]];
    });
    const narrowing = only(rest, (key) => keeps.includes(key));
    const mayNarrow = own === undefined && mayBeRepeated(narrowing, name);
    const item = toItem(rest, what ?? "", where, name);
    const isWhole = mayNarrow && narrowing.entries.size === rest.entries.size;
    if (!isWhole) items.push(item);
    const counting = isWhole || isTrusted(item) ? rest : mayNarrow ? narrowing : null;
    return counting === null ? null : mapNode([...counting.entries, ...apart], at.origin);
  }
}

/** A setting without a trust mark. */
const UNMARKED: TrustMark = { what: "setting" };

/** It is empty, or equals what counts without it. */
function holdsAnyway(node: ConfigNode, shape: Shape, own: ConfigNode | undefined): boolean {
  if (node.kind !== "scalar") return false;
  if (node.value === null && shape.nullable !== true) return true;
  return own === undefined ? node.value === shape.default : own.kind === "scalar" && node.value === own.value;
}

function only({ entries, origin }: MapNode, isWanted: (key: string) => boolean): MapNode {
  return mapNode(
    [...entries].filter(([key]) => isWanted(key)),
    origin,
  );
}

/** Names that a reason or a notice quotes reach the model, no matter who wrote them. */
function mayBeRepeated(node: ConfigNode, key: string): boolean {
  if (!isRepeatable(key)) return false;
  if (node.kind === "scalar") return typeof node.value !== "string" || isRepeatable(node.value);
  const parts = node.kind === "list" ? node.items : [...node.entries.values()];
  return parts.every((part) => mayBeRepeated(part, ""));
}

/** The entry of a list that has the same name. */
export function namesake(item: ConfigNode, list: ConfigNode | undefined): ConfigNode | undefined {
  const name = readText(nodeAt(item, "name"))?.value;
  return itemsAt(list).find((other) => readText(nodeAt(other, "name"))?.value === name);
}

/** Trust's name for a file of the workspace that runs outside the sandbox. */
export const PROGRAM_FILE = "program file";

export function describeItem({ what, name }: Pick<WrittenItem, "what" | "name">): string {
  return `${what} ${name}`;
}

/** Identifies an item, changed or not. */
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
