import { isDeepStrictEqual } from "node:util";
import type { Pair, YAMLMap } from "yaml";
import { isRecord } from "../../core/shape/is-record.ts";
import { parseJson } from "../../core/shape/parse-json.ts";
import { blankComments, blankExtras } from "../layers/blank-extras.ts";

type Plain = Readonly<Record<string, unknown>>;

/** The content of a JSON file, with comments and trailing commas as editors allow them; null if it is no object. */
export function readJson(text: string): Plain | null {
  const value = parseJson(blankExtras(text));
  return isRecord(value) ? value : null;
}

/**
 * The text with that entry in the map under `key`, replacing one of the same name; every other byte stays. Null if the
 * text does not allow that: it cannot be read, has a key twice, or has no map there.
 */
export async function withEntry(text: string, key: string, name: string, entry: Plain): Promise<string | null> {
  const yaml = await import("yaml");
  const before = readJson(text);
  const document = yaml.parseDocument(blankExtras(text));
  const root = document.contents;
  if (before === null || document.errors.length > 0 || !yaml.isMap(root)) return null;
  const servers = Object.hasOwn(before, key) ? before[key] : {};
  if (!isRecord(servers)) return null;
  const wanted = { ...before, [key]: { ...servers, [name]: entry } };
  const pairOf = (map: YAMLMap, wantedKey: string): Pair | undefined =>
    map.items.find((item) => yaml.isScalar(item.key) && item.key.value === wantedKey);
  const splice = (): string | null => {
    const section = pairOf(root, key)?.value;
    if (section === undefined) return insert(text, root, key, { [name]: entry });
    if (!yaml.isMap(section)) return null;
    const known = pairOf(section, name);
    if (known === undefined) return insert(text, section, name, entry);
    const range = yaml.isNode(known.value) ? known.value.range : null;
    const start = yaml.isNode(known.key) ? known.key.range?.[0] : null;
    if (!range || start === null || start === undefined) return null;
    return text.slice(0, range[0]) + toJson(entry, unitOf(text), indentAt(text, start)) + text.slice(range[1]);
  };
  const spliced = splice();
  const after = text.includes("\r\n") ? (spliced?.replace(/(?<!\r)\n/g, "\r\n") ?? null) : spliced;
  return after !== null && isDeepStrictEqual(readJson(after), wanted) ? after : null;
}

/**
 * The text without that entry, and without `key` if it was the only one and has no comment; every other byte stays,
 * including comments around it, because their owner is unknown. Null if the text does not allow that, as above.
 */
export async function withoutEntry(text: string, key: string, name: string): Promise<string | null> {
  const yaml = await import("yaml");
  const before = readJson(text);
  const document = yaml.parseDocument(blankExtras(text));
  const root = document.contents;
  if (before === null || document.errors.length > 0 || !yaml.isMap(root)) return null;
  const { [key]: servers, ...rest } = before;
  const section = root.items.find((item) => yaml.isScalar(item.key) && item.key.value === key);
  if (section === undefined || !isRecord(servers) || !yaml.isMap(section.value)) return null;
  const { [name]: _, ...others } = servers;
  const isLast = Object.keys(others).length === 0;
  const whole = isLast ? cut(text, root, section) : null;
  const victim = section.value.items.find((item) => yaml.isScalar(item.key) && item.key.value === name);
  const after = whole ?? cut(text, section.value, victim) ?? blank(text, section.value, victim);
  const wanted = whole === null ? { ...before, [key]: others } : rest;
  return after !== null && isDeepStrictEqual(readJson(after), wanted) ? after : null;
}

interface Place {
  readonly start: number;
  readonly end: number;
  /** Where the next member begins, and where the one before ends. */
  readonly next: number | undefined;
  readonly previous: number | undefined;
  /** Between its neighbours, or the brackets. */
  readonly from: number;
  readonly to: number;
}

function placeOf(map: YAMLMap, victim: Pair | undefined): Place | null {
  if (!map.range || victim === undefined) return null;
  const at = map.items.indexOf(victim);
  const start = nodeRange(victim.key)?.[0];
  const end = nodeRange(victim.value)?.[1];
  const next = nodeRange(map.items[at + 1]?.key)?.[0];
  const previous = nodeRange(map.items[at - 1]?.value)?.[1];
  if (start === undefined || end === undefined) return null;
  return { start, end, next, previous, from: previous ?? map.range[0] + 1, to: next ?? map.range[1] - 1 };
}

/** Up to the next member, or after the one before; the only one leaves empty brackets. Null if comments interfere. */
function cut(text: string, map: YAMLMap, victim: Pair | undefined): string | null {
  const place = placeOf(map, victim);
  if (place === null) return null;
  const { start, end, next, previous, from, to } = place;
  if (blankComments(text).slice(from, to) !== text.slice(from, to)) return null;
  if (next !== undefined) return text.slice(0, start) + text.slice(next);
  if (previous !== undefined) return text.slice(0, previous) + text.slice(end);
  return text.slice(0, from) + text.slice(to);
}

/** Next to comments: only the member and its comma, and the line if nothing else is on it. */
function blank(text: string, map: YAMLMap, victim: Pair | undefined): string | null {
  const place = placeOf(map, victim);
  if (place === null) return null;
  const { start, end, next, from, to } = place;
  const plain = blankComments(text);
  const commaIn = (low: number, high: number): number | null => {
    const at = plain.slice(low, high).indexOf(",");
    return at === -1 ? null : low + at;
  };
  const behind = commaIn(end, to);
  const before = next === undefined ? commaIn(from, start) : null;
  const head = before === null ? text.slice(0, start) : text.slice(0, before) + text.slice(before + 1, start);
  const tail = behind === null ? text.slice(end) : text.slice(end, behind) + text.slice(behind + 1);
  const bare = head.replace(/[ \t]+$/, "");
  const isOwnLine = /(?:^|\n)$/.test(bare) && /^[ \t]*\r?\n/.test(tail);
  return isOwnLine ? bare + tail.replace(/^[ \t]*\r?\n/, "") : head + tail.replace(/^[ \t]+/, "");
}

/** After the last member and its trailing comment. */
function insert(text: string, map: YAMLMap, name: string, value: unknown): string | null {
  if (!map.range) return null;
  const [open, end] = [map.range[0] + 1, map.range[1] - 1];
  const last = map.items.at(-1);
  const [first] = map.items;
  const lastEnd = nodeRange(last?.value)?.[1] ?? nodeRange(last?.key)?.[1] ?? open;
  const tail = text.slice(lastEnd, end);
  const unit = unitOf(text);
  const outer = indentAt(text, map.range[0]);
  const firstStart = nodeRange(first?.key)?.[0];
  const isOpened = firstStart !== undefined && text.slice(open, firstStart).includes("\n");
  const indent = isOpened ? indentAt(text, firstStart) : outer + unit;
  const comma = last === undefined || blankComments(text).slice(lastEnd, end).includes(",") ? "" : ",";
  const at = lastEnd + tail.trimEnd().length;
  const member = `\n${indent}${JSON.stringify(name)}: ${toJson(value, unit, indent)}`;
  const close = text.slice(at, end).includes("\n") ? "" : `\n${outer}`;
  return (
    text.slice(0, lastEnd) + comma + text.slice(lastEnd, at) + member + close + text.slice(close === "" ? at : end)
  );
}

function nodeRange(node: unknown): readonly [number, number, number] | null {
  // Every parsed node has its range; other values have none.
  return (node as { readonly range?: readonly [number, number, number] | null } | null | undefined)?.range ?? null;
}

function toJson(value: unknown, unit: string, indent: string): string {
  return JSON.stringify(value, null, unit).replaceAll("\n", `\n${indent}`);
}

/** Blanks at the beginning of the line. */
function indentAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", at - 1) + 1))?.[0] ?? "";
}

function unitOf(text: string): string {
  return /^\s*\{\s*?\n([ \t]+)"/.exec(text)?.[1] ?? "  ";
}
