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
  const found: Found = { isTrusted, root, items: [], guards: [] };
  return { kept: keep({ node, shape, path, key: "", here }, found), items: found.items, guards: found.guards };
}

interface Found {
  readonly isTrusted: (item: WrittenItem) => boolean;
  readonly root: ConfigNode | undefined;
  readonly items: WrittenItem[];
  readonly guards: WrittenGuard[];
}

/** A value in its place. */
interface Placed<N extends ConfigNode = ConfigNode, S extends Shape = Shape> {
  readonly node: N;
  readonly shape: S;
  readonly path: string;
  /** Empty for an item of a list. */
  readonly key: string;
  /** What counts in its place without it. */
  readonly here: ConfigNode | undefined;
}

/** What counts of a value; null if it waits for trust as a whole. */
function keep(placed: Placed, found: Found): ConfigNode | null {
  const { node, shape, path, here } = placed;
  const mark: TrustMark | undefined = shape.trust ?? (isLeaf(shape) ? UNMARKED : undefined);
  if (mark !== undefined) return judge(placed, mark, found);
  if (shape.kind === "either") {
    const option = optionFor(shape, node);
    return option === undefined ? node : keep({ ...placed, shape: option }, found);
  }
  if (node.kind === "list" && shape.kind === "list") {
    const items = node.items.flatMap((item) => {
      const own = shape.merge === "by-name" ? namesake(item, here) : undefined;
      return keep({ node: item, shape: shape.of, path: `${path}[]`, key: "", here: own }, found) ?? [];
    });
    return { ...node, items };
  }
  if (node.kind !== "map") return node;
  const entries = [...node.entries].flatMap(([key, value]): [string, ConfigNode][] => {
    const inner = shape.kind === "map" ? shape.of : shape.kind === "record" ? fieldOf(shape, key) : undefined;
    if (inner === undefined) return [[key, value]];
    const below = path === "" ? key : `${path}.${key}`;
    const kept = keep({ node: value, shape: inner, path: below, key, here: nodeAt(here, key) }, found);
    return kept === null ? [] : [[key, kept]];
  });
  return mapNode(entries, node.origin);
}

function judge(placed: Placed, mark: TrustMark, found: Found): ConfigNode | null {
  const { node, shape, path, key, here } = placed;
  if ("keeps" in mark && mark.keeps !== undefined && node.kind === "map" && shape.kind === "record")
    return judgeInParts({ ...placed, node, shape }, mark.what, mark.keeps, found);
  const covers = mark.guards?.(node, path) ?? null;
  const narrows =
    (covers !== null || mayBeRepeated(node, key)) &&
    ("narrows" in mark || mark.when?.(node, { here, root: found.root, key }) === false || holdsAnyway(placed));
  if (narrows && covers === null) return node;
  const item = toItem(node, mark.what ?? "wording", path, key);
  const counts = narrows || found.isTrusted(item);
  if (!narrows) found.items.push(item);
  if (covers !== null) found.guards.push({ ...item, covers, counts });
  return counts ? node : null;
}

/** Fields that only narrow count at once, parts with their own marks wait by themselves, and the rest is one item. */
function judgeInParts(
  { node, shape, path, key: name, here }: Placed<MapNode, RecordShape>,
  what: string,
  keeps: readonly string[],
  found: Found,
): ConfigNode | null {
  const isApart = (key: string): boolean => !isLeaf(fieldOf(shape, key) ?? shape);
  const rest = only(node, (key) => !isApart(key));
  const apart = [...node.entries].flatMap(([key, value]): [string, ConfigNode][] => {
    const inner = isApart(key) ? fieldOf(shape, key) : undefined;
    if (inner === undefined) return [];
    // A single part has the name of the whole, several have names of their own.
    const called = inner.kind === "record" ? labelOf(rest, path, name) : key;
    const kept = keep({ node: value, shape: inner, path: `${path}.${key}`, key: called, here: undefined }, found);
    return kept === null ? [] : [[key, kept]];
  });
  const narrowing = only(rest, (key) => keeps.includes(key));
  const mayNarrow = here === undefined && mayBeRepeated(narrowing, name);
  const item = toItem(rest, what, path, name);
  const isWhole = mayNarrow && narrowing.entries.size === rest.entries.size;
  if (!isWhole) found.items.push(item);
  const counting = isWhole || found.isTrusted(item) ? rest : mayNarrow ? narrowing : null;
  return counting === null ? null : mapNode([...counting.entries, ...apart], node.origin);
}

/** A setting without a trust mark. */
const UNMARKED: TrustMark = { what: "setting" };

/** It is empty, or equals what counts without it. */
function holdsAnyway({ node, shape, here }: Placed): boolean {
  if (node.kind !== "scalar") return false;
  if (node.value === null && shape.nullable !== true) return true;
  return here === undefined ? node.value === shape.default : here.kind === "scalar" && node.value === here.value;
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
