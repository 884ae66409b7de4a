import { isDeepStrictEqual } from "node:util";
import type { YAMLMap, YAMLSeq } from "yaml";
import { isRecord } from "../../core/shape/is-record.ts";
import { parseJson } from "../../core/shape/parse-json.ts";
import { blankExtras } from "../layers/blank-extras.ts";
import { blankMember, cutMember, insertMember, replaceMember } from "./json-members.ts";

type Plain = Readonly<Record<string, unknown>>;

/** Keys of maps and indices of lists, from the root down. */
export type JsonPath = readonly (string | number)[];

/** The content of a JSON file, with comments and trailing commas as editors allow them; null if it is no object. */
export function readJson(text: string): Plain | null {
  const value = parseJson(blankExtras(text));
  return isRecord(value) ? value : null;
}

/** What is there; undefined if nothing is. */
export function valueAt(root: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>((at, key) => {
    if (typeof key === "number") return Array.isArray(at) ? at[key] : undefined;
    return isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }, root);
}

/**
 * The text with that value there, and with the maps and lists on the way to it; every other byte stays. The index behind
 * the last item of a list adds one. Null if the text does not allow that: it cannot be read, has a key twice, or has
 * something else on the way.
 */
export async function withValue(text: string, path: JsonPath, value: unknown): Promise<string | null> {
  const opened = await openJson(text);
  if (opened === null) return null;
  const { before, steps } = walk(opened, path);
  const wanted = setAt(before, path, value);
  const last = steps.at(-1);
  if (wanted === null || last === undefined) return null;
  const rest = path.slice(steps.length);
  const key = path[steps.length - 1];
  const nested = rest.reduceRight<unknown>(
    (inner, name) => (typeof name === "number" ? [inner] : { [name]: inner }),
    value,
  );
  const spliced =
    last.at === -1
      ? insertMember(text, last.node, typeof key === "string" ? key : null, nested)
      : rest.length === 0
        ? replaceMember(text, last.node, last.at, value)
        : null;
  const after = text.includes("\r\n") ? (spliced?.replace(/(?<!\r)\n/g, "\r\n") ?? null) : spliced;
  return after !== null && isDeepStrictEqual(readJson(after), wanted) ? after : null;
}

/**
 * The text without what is there, and without the maps and lists around it that would be left empty and have no comment,
 * but for the outer `kept` ones. Every other byte stays, including comments around it, because their owner is unknown.
 * Null if the text does not allow that, as above.
 */
export async function withoutValue(text: string, path: JsonPath, kept = 0): Promise<string | null> {
  const opened = await openJson(text);
  if (opened === null) return null;
  const { before, steps } = walk(opened, path);
  if (steps.length < path.length || steps.some(({ at }) => at === -1)) return null;
  // The outermost that holds nothing else.
  let top = path.length;
  while (top - 1 > kept && steps[top - 1]?.node.items.length === 1) top -= 1;
  for (let depth = top; depth <= path.length; depth++) {
    const step = steps[depth - 1];
    if (step === undefined) return null;
    const isWhole = depth === path.length;
    const after = cutMember(text, step.node, step.at) ?? (isWhole ? blankMember(text, step.node, step.at) : null);
    if (after !== null && isDeepStrictEqual(readJson(after), removeAt(before, path.slice(0, depth)))) return after;
  }
  return null;
}

/** The text with that entry in the map under `key`, replacing one of the same name. */
export async function withEntry(text: string, key: string, name: string, entry: Plain): Promise<string | null> {
  const section = valueAt(readJson(text), [key]);
  return section === undefined || isRecord(section) ? withValue(text, [key, name], entry) : null;
}

/** The text without that entry, and without `key` if it was the only one and has no comment. */
export function withoutEntry(text: string, key: string, name: string): Promise<string | null> {
  return withoutValue(text, [key, name]);
}

interface Opened {
  readonly before: Plain;
  readonly root: YAMLMap;
  readonly yaml: typeof import("yaml");
}

async function openJson(text: string): Promise<Opened | null> {
  const yaml = await import("yaml");
  const before = readJson(text);
  const document = yaml.parseDocument(blankExtras(text));
  const root = document.contents;
  return before === null || document.errors.length > 0 || !yaml.isMap(root) ? null : { before, root, yaml };
}

/** A map or list on the way, and the index of the member that leads on; -1 where there is none, which ends the way. */
interface Step {
  readonly node: YAMLMap | YAMLSeq;
  readonly at: number;
}

function walk(
  { before, root, yaml }: Opened,
  path: JsonPath,
): { readonly before: Plain; readonly steps: readonly Step[] } {
  const steps: Step[] = [];
  let node: unknown = root;
  for (const key of path) {
    if (typeof key === "number" ? !yaml.isSeq(node) : !yaml.isMap(node)) break;
    const found: YAMLMap | YAMLSeq = node as YAMLMap | YAMLSeq; // One of the two, as was just seen.
    const at = yaml.isMap(found)
      ? found.items.findIndex((item) => yaml.isScalar(item.key) && item.key.value === key)
      : key in found.items
        ? Number(key)
        : -1;
    steps.push({ node: found, at });
    if (at === -1) break;
    const item = found.items[at];
    node = yaml.isPair(item) ? item.value : item;
  }
  return { before, steps };
}

/** With that value there; null where something else is on the way. */
export function setAt(root: unknown, [key, ...rest]: JsonPath, value: unknown): unknown {
  if (key === undefined) return value;
  if (typeof key === "number") {
    if (root !== undefined && !Array.isArray(root)) return null;
    const list: readonly unknown[] = root ?? [];
    if (key > list.length) return null;
    const inner = setAt(list[key], rest, value);
    return inner === null ? null : [...list.slice(0, key), inner, ...list.slice(key + 1)];
  }
  if (root !== undefined && !isRecord(root)) return null;
  const inner = setAt(root !== undefined && Object.hasOwn(root, key) ? root[key] : undefined, rest, value);
  return inner === null ? null : { ...root, [key]: inner };
}

/** Without what is there. */
export function removeAt(root: unknown, [key, ...rest]: JsonPath): unknown {
  if (Array.isArray(root))
    return root.flatMap((item, at) => (at !== key ? [item] : rest.length === 0 ? [] : [removeAt(item, rest)]));
  if (!isRecord(root) || typeof key !== "string") return root;
  const { [key]: own, ...others } = root;
  return rest.length === 0 ? others : { ...root, [key]: removeAt(own, rest) };
}
