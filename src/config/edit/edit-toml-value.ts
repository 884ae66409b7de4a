import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../../core/shape/is-record.ts";
import { type JsonPath, removeAt, setAt, valueAt } from "./edit-json.ts";
import { plainToml, readTomlFile } from "./edit-toml.ts";

/**
 * The text with that value there: one more table behind a list of tables, or a key of a table. Every other byte stays. Null if
 * the text does not allow that: it cannot be read, or writes what is there in another form.
 */
export async function withTomlValue(text: string, path: JsonPath, value: unknown): Promise<string | null> {
  const { stringify } = await import("smol-toml");
  const before = plainToml(await readTomlFile(text));
  const wanted = isRecord(before) ? setAt(before, path, value) : null;
  if (wanted === null || isDeepStrictEqual(wanted, before)) return wanted === null ? null : text;
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const rest = text === "" || text.endsWith("\n") ? text : text + newline;
  const write = (content: object): string => stringify(content).trim().replaceAll("\n", newline);
  const table = path.slice(0, -1);
  const heading = headings(text).find(({ keys, isList }) => !isList && isDeepStrictEqual(keys, table));
  const isNew = valueAt(before, path) === undefined;
  const key = path.at(-1);
  const tries = [
    heading === undefined || !isNew || typeof key !== "string"
      ? null
      : text.slice(0, heading.end) + write({ [key]: value }) + newline + text.slice(heading.end),
    isNew ? `${rest}${rest === "" ? "" : newline}${write(nest(path, value))}${newline}` : null,
  ];
  for (const after of tries)
    if (after !== null && isDeepStrictEqual(plainToml(await readTomlFile(after)), wanted)) return after;
  return null;
}

/** The text without that table or key, and without the tables around it that would be left empty, but for the outer `kept` ones. */
export async function withoutTomlValue(text: string, path: JsonPath, kept = 0): Promise<string | null> {
  const before = plainToml(await readTomlFile(text));
  if (!isRecord(before) || valueAt(before, path) === undefined) return null;
  let depth = path.length;
  while (depth - 1 > kept && sizeOf(valueAt(before, path.slice(0, depth - 1))) === 1) depth -= 1;
  for (; depth <= path.length; depth++) {
    const part = path.slice(0, depth);
    const after = cutToml(text, part);
    if (after === null) continue;
    const wanted = removeAt(before, part);
    if (isDeepStrictEqual(plainToml(await readTomlFile(after)), wanted)) return after;
  }
  return null;
}

function sizeOf(value: unknown): number {
  return Array.isArray(value) ? value.length : isRecord(value) ? Object.keys(value).length : 0;
}

function nest(path: JsonPath, value: unknown): object {
  // A list of tables is written as one, behind those that are there.
  return path.reduceRight<unknown>(
    (inner, key) => (typeof key === "number" ? [inner] : { [key]: inner }),
    value,
  ) as object; // Its first key is a name.
}

interface Heading {
  readonly keys: readonly string[];
  /** `[[…]]`, an item of a list. */
  readonly isList: boolean;
  readonly start: number;
  /** Behind its line. */
  readonly end: number;
}

function headings(text: string): readonly Heading[] {
  return [...text.matchAll(/^[ \t]*(\[\[?)\s*([^[\]\r\n]+?)\s*\]\]?[ \t]*(?:#.*)?(?:\r?\n|$)/gm)].map((match) => ({
    keys: (match[2] ?? "").match(/"[^"]*"|'[^']*'|[\w-]+/g)?.map((part) => part.replace(/^["']|["']$/g, "")) ?? [],
    isList: match[1] === "[[",
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** From its heading to the next one that is not below it, or its line in a table. Whether that was right is for the caller to see. */
function cutToml(text: string, path: JsonPath): string | null {
  const all = headings(text);
  const names = path.filter((key) => typeof key === "string");
  const index = typeof path.at(-1) === "number" ? Number(path.at(-1)) : null;
  const isWithin = ({ keys }: Heading): boolean => isDeepStrictEqual(keys.slice(0, names.length), names);
  const own = all.filter((one) => (index === null ? isWithin(one) : one.isList && isDeepStrictEqual(one.keys, names)));
  const first = own[index ?? 0];
  if (first === undefined) return cutKey(text, all, names);
  const next = all.find((one) => one.start > first.start && (!isWithin(one) || (index !== null && own.includes(one))));
  const end = next === undefined ? text.length : endOfBody(text, first.end, next.start);
  return text.slice(0, first.start).replace(/(^|\n)\r?\n$/, "$1") + text.slice(end);
}

/** Comments and empty lines above a heading belong to that. */
function endOfBody(text: string, from: number, to: number): number {
  const lines = text.slice(from, to).split(/(?<=\n)/);
  while (lines.length > 0 && /^\s*(?:#.*)?$/.test((lines.at(-1) ?? "").trimEnd())) lines.pop();
  return from + lines.join("").length;
}

function cutKey(text: string, all: readonly Heading[], names: readonly string[]): string | null {
  const table = names.slice(0, -1);
  const heading = all.find(({ keys, isList }) => !isList && isDeepStrictEqual(keys, table));
  if (heading === undefined) return null;
  const end = all.find(({ start }) => start > heading.start)?.start ?? text.length;
  const body = text.slice(heading.end, end);
  const line = new RegExp(`^[ \\t]*${names.at(-1)}[ \\t]*=.*(?:\\r?\\n|$)`, "m").exec(body);
  if (line === null) return null;
  const at = heading.end + line.index;
  return text.slice(0, at) + text.slice(at + line[0].length);
}
