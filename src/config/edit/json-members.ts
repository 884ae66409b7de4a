import type { Pair, YAMLMap, YAMLSeq } from "yaml";
import { blankComments } from "../layers/blank-extras.ts";

type Container = YAMLMap | YAMLSeq;

/** A member of a map or an item of a list, where it stands in the text. */
interface Member {
  readonly start: number;
  readonly end: number;
}

/** The members of a map or the items of a list; null where the text does not say where they are. */
function jsonMembers(node: Container): readonly Member[] | null {
  const places = node.items.map((item): Member | null => {
    const start = rangeOf(isPair(item) ? item.key : item)?.[0];
    const end = rangeOf(isPair(item) ? item.value : item)?.[1];
    return start === undefined || end === undefined ? null : { start, end };
  });
  return places.every((place) => place !== null) ? places : null;
}

function isPair(item: unknown): item is Pair {
  return typeof item === "object" && item !== null && "key" in item;
}

function rangeOf(node: unknown): readonly [number, number, number] | null {
  // Every parsed node has its range; other values have none.
  return (node as { readonly range?: readonly [number, number, number] | null } | null | undefined)?.range ?? null;
}

interface Place extends Member {
  /** Where the next member begins, and where the one before ends. */
  readonly next: number | undefined;
  readonly previous: number | undefined;
  /** Between its neighbours, or the brackets. */
  readonly from: number;
  readonly to: number;
}

function placeOf(node: Container, at: number): Place | null {
  const members = jsonMembers(node);
  const own = members?.[at];
  if (!node.range || own === undefined) return null;
  const next = members?.[at + 1]?.start;
  const previous = members?.[at - 1]?.end;
  return { ...own, next, previous, from: previous ?? node.range[0] + 1, to: next ?? node.range[1] - 1 };
}

/** Without that member, up to the next one, or after the one before; the only one leaves empty brackets. Null if comments interfere. */
export function cutMember(text: string, node: Container, at: number): string | null {
  const place = placeOf(node, at);
  if (place === null) return null;
  const { start, end, next, previous, from, to } = place;
  if (blankComments(text).slice(from, to) !== text.slice(from, to)) return null;
  if (next !== undefined) return text.slice(0, start) + text.slice(next);
  if (previous !== undefined) return text.slice(0, previous) + text.slice(end);
  return text.slice(0, from) + text.slice(to);
}

/** The same next to comments: only the member and its comma, and the line if nothing else is on it. */
export function blankMember(text: string, node: Container, at: number): string | null {
  const place = placeOf(node, at);
  if (place === null) return null;
  const { start, end, next, from, to } = place;
  const plain = blankComments(text);
  const commaIn = (low: number, high: number): number | null => {
    const found = plain.slice(low, high).indexOf(",");
    return found === -1 ? null : low + found;
  };
  const behind = commaIn(end, to);
  const before = next === undefined ? commaIn(from, start) : null;
  const head = before === null ? text.slice(0, start) : text.slice(0, before) + text.slice(before + 1, start);
  const tail = behind === null ? text.slice(end) : text.slice(end, behind) + text.slice(behind + 1);
  const bare = head.replace(/[ \t]+$/, "");
  const isOwnLine = /(?:^|\n)$/.test(bare) && /^[ \t]*\r?\n/.test(tail);
  return isOwnLine ? bare + tail.replace(/^[ \t]*\r?\n/, "") : head + tail.replace(/^[ \t]+/, "");
}

/** With one more member, after the last one and its trailing comment. `name` is null for an item of a list. */
export function insertMember(text: string, node: Container, name: string | null, value: unknown): string | null {
  const members = jsonMembers(node);
  if (!node.range || members === null) return null;
  const [open, end] = [node.range[0] + 1, node.range[1] - 1];
  const lastEnd = members.at(-1)?.end ?? open;
  const tail = text.slice(lastEnd, end);
  const unit = unitOf(text);
  const outer = indentAt(text, node.range[0]);
  const firstStart = members[0]?.start;
  const isOpened = firstStart !== undefined && text.slice(open, firstStart).includes("\n");
  const indent = isOpened ? indentAt(text, firstStart) : outer + unit;
  const comma = members.length === 0 || blankComments(text).slice(lastEnd, end).includes(",") ? "" : ",";
  const at = lastEnd + tail.trimEnd().length;
  const key = name === null ? "" : `${JSON.stringify(name)}: `;
  const member = `\n${indent}${key}${writeJson(value, unit, indent)}`;
  const close = text.slice(at, end).includes("\n") ? "" : `\n${outer}`;
  return (
    text.slice(0, lastEnd) + comma + text.slice(lastEnd, at) + member + close + text.slice(close === "" ? at : end)
  );
}

/** With another value in place of that member's. */
export function replaceMember(text: string, node: Container, at: number, value: unknown): string | null {
  const item = node.items[at];
  const range = rangeOf(isPair(item) ? item.value : item);
  const start = jsonMembers(node)?.[at]?.start;
  if (range === null || start === undefined) return null;
  return text.slice(0, range[0]) + writeJson(value, unitOf(text), indentAt(text, start)) + text.slice(range[1]);
}

function writeJson(value: unknown, unit: string, indent: string): string {
  return JSON.stringify(value, null, unit).replaceAll("\n", `\n${indent}`);
}

/** Blanks at the beginning of the line. */
function indentAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", at - 1) + 1))?.[0] ?? "";
}

function unitOf(text: string): string {
  return /^\s*\{\s*?\n([ \t]+)"/.exec(text)?.[1] ?? "  ";
}
