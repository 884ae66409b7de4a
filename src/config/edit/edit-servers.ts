import { isDeepStrictEqual } from "node:util";
import type { Document, Pair, YAMLMap } from "yaml";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import { parseJson } from "../../core/shape/parse-json.ts";
import { blankComments } from "../layers/blank-extras.ts";
import { parseDocument } from "../layers/parse-document.ts";
import { readJson, withEntry, withoutEntry } from "./edit-json.ts";

type Yaml = typeof import("yaml");

/** An entry of a server or an API, as it will be written. */
export type ServerEntry = Readonly<Record<string, unknown>>;

/** Settings that contain servers, with shared names. */
const SECTIONS = ["mcpServers", "openapi"] as const;
export type ServerSection = (typeof SECTIONS)[number];

/** Names of servers and APIs. Throws `config.syntax` for text that cannot be read. */
export async function serversIn(text: string, file: string): Promise<readonly string[]> {
  return [...(await sectionsIn(text, file)).keys()];
}

async function sectionsIn(text: string, file: string): Promise<ReadonlyMap<string, ServerSection>> {
  const root = await parseDocument(text, file);
  const found = SECTIONS.flatMap((section) => {
    const servers = root?.kind === "map" ? root.entries.get(section) : undefined;
    return servers?.kind === "map" ? [...servers.entries.keys()].map((name) => [name, section] as const) : [];
  });
  return new Map(found);
}

/** The text with that server after the others; all other lines stay unchanged. */
export async function withServer(
  given: string,
  file: string,
  name: string,
  entry: ServerEntry,
  key: ServerSection = "mcpServers",
): Promise<string> {
  const section = (await sectionsIn(given, file)).get(name);
  const text = section === undefined || section === key ? given : await withoutServer(given, file, name);
  const spliced = await spliceJson(text, file, (json) => withEntry(json, key, name, entry));
  if (spliced !== null) return spliced;
  const base = section === key ? await withoutServer(text, file, name) : text;
  const yaml = await import("yaml");
  const expected = (value: Plain): Plain => ({ ...value, [key]: { ...plain(value[key]), [name]: entry } });
  return edit(yaml, base, file, expected, {
    splice: (document) => insertServer(yaml, base, document, key, name, entry),
    change: (document) => {
      if (!yaml.isMap(document.get(key))) document.set(key, document.createNode({}));
      document.setIn([key, name], document.createNode(entry));
    },
  });
}

/** The text without that server and the comment directly above it. */
export async function withoutServer(text: string, file: string, name: string): Promise<string> {
  const key = (await sectionsIn(text, file)).get(name) ?? SECTIONS[0];
  const spliced = await spliceJson(text, file, (json) => withoutEntry(json, key, name));
  if (spliced !== null) return spliced;
  if (file.endsWith(".json") && readJson(text) !== null && blankComments(text) !== text) {
    const why = `${file} cannot be changed without losing its comments; take "${name}" out by hand`;
    throw new ToolcribError("config.syntax", why, { names: [name] });
  }
  const yaml = await import("yaml");
  const expected = (value: Plain): Plain => {
    const { [name]: _, ...others } = plain(value[key]);
    const { [key]: __, ...rest } = value;
    return Object.keys(others).length === 0 ? rest : { ...value, [key]: others };
  };
  return edit(yaml, text, file, expected, {
    splice: (document) => cutServer(yaml, text, document, key, name),
    change: (document) => {
      document.deleteIn([key, name]);
      const left = document.get(key);
      if (yaml.isMap(left) && left.items.length === 0) document.delete(key);
    },
  });
}

/** A JSON file is changed as JSON, even if it is empty. Null if it contains what JSON does not have. */
async function spliceJson(
  text: string,
  file: string,
  change: (json: string) => Promise<string | null>,
): Promise<string | null> {
  if (!file.endsWith(".json")) return null;
  const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
  const json = text.slice(mark.length);
  const changed = await change(json.trim() === "" ? "{}\n" : json);
  return changed === null ? null : mark + changed;
}

type Plain = Readonly<Record<string, unknown>>;

interface Change {
  /** Changes lines only; null if the way the file is written does not allow it. */
  readonly splice: (document: Document) => string | null;
  readonly change: (document: Document) => void;
}

/** Tries the change that keeps every other byte, and uses it only if the result means what it should. */
function edit(yaml: Yaml, text: string, file: string, expected: (value: Plain) => Plain, change: Change): string {
  const document = yaml.parseDocument(text);
  const wanted = expected(plain(document.toJS()));
  if (file.endsWith(".json") && parseJson(text) !== undefined)
    return `${JSON.stringify(wanted, null, indentOf(text))}\n`;
  const spliced = change.splice(document);
  if (spliced !== null && means(yaml, spliced, wanted)) return withLineEndsOf(text, spliced);
  change.change(document);
  return withLineEndsOf(text, document.toString({ lineWidth: 0 }));
}

function withLineEndsOf(text: string, changed: string): string {
  return text.includes("\r\n") ? changed.replace(/(?<!\r)\n/g, "\r\n") : changed;
}

function means(yaml: Yaml, text: string, wanted: Plain): boolean {
  const document = yaml.parseDocument(text);
  return document.errors.length === 0 && isDeepStrictEqual(plain(document.toJS()), wanted);
}

function insertServer(
  yaml: Yaml,
  text: string,
  document: Document,
  key: string,
  name: string,
  entry: ServerEntry,
): string | null {
  const block = (indent: string, value: unknown): string =>
    yaml
      .stringify(value, { lineWidth: 0 })
      .trimEnd()
      .split("\n")
      .map((line) => `${indent}${line}\n`)
      .join("");
  const whole = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  const { contents } = document;
  if (contents !== null && (!yaml.isMap(contents) || contents.flow === true)) return null;
  const pair = yaml.isMap(contents) ? findPair(yaml, contents, key) : undefined;
  if (pair === undefined) return whole + block("", { [key]: { [name]: entry } });
  const { value } = pair;
  if (yaml.isMap(value) && value.flow !== true && value.items[0] !== undefined) {
    const indent = " ".repeat(columnOf(text, startOf(yaml, value.items[0])));
    const at = endOf(yaml, whole, value.items.at(-1), indent.length);
    return whole.slice(0, at) + block(indent, { [name]: entry }) + whole.slice(at);
  }
  return null;
}

function cutServer(yaml: Yaml, text: string, document: Document, setting: string, name: string): string | null {
  const { contents } = document;
  if (!yaml.isMap(contents) || contents.flow === true) return null;
  const section = findPair(yaml, contents, setting);
  const servers = section?.value;
  if (!yaml.isMap(servers) || servers.flow === true) return null;
  const pair = findPair(yaml, servers, name);
  const whole = text.endsWith("\n") ? text : `${text}\n`;
  const victim = servers.items.length === 1 ? section : pair;
  if (victim === undefined) return null;
  const key = startOf(yaml, victim);
  const column = columnOf(text, key);
  const from = victim === pair ? commentsAbove(text, lineStart(text, key), column) : lineStart(text, key);
  return whole.slice(0, from) + whole.slice(endOf(yaml, whole, victim, column));
}

function findPair(yaml: Yaml, map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((item) => yaml.isScalar(item.key) && String(item.key.value) === key);
}

function startOf(yaml: Yaml, pair: Pair): number {
  return (yaml.isNode(pair.key) ? pair.key.range?.[0] : undefined) ?? 0;
}

/** After the last line of an entry and the comments indented deeper than its key. */
function endOf(yaml: Yaml, text: string, pair: Pair | undefined, column: number): number {
  const node = yaml.isNode(pair?.value) && pair.value.range ? pair.value : pair?.key;
  const end = (yaml.isNode(node) ? node.range?.[1] : undefined) ?? text.length;
  let at = text[end - 1] === "\n" ? end : lineEnd(text, end);
  for (;;) {
    const next = text.slice(at, lineEnd(text, at));
    const comment = /^( *)#/.exec(next);
    if (comment?.[1] === undefined || comment[1].length <= column) return at;
    at += next.length;
  }
}

function commentsAbove(text: string, from: number, column: number): number {
  let at = from;
  while (at > 0) {
    const before = lineStart(text, at - 1);
    if (!text.slice(before, at).startsWith(`${" ".repeat(column)}#`)) return at;
    at = before;
  }
  return at;
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end + 1;
}

function columnOf(text: string, at: number): number {
  return at - lineStart(text, at);
}

function plain(value: unknown): Plain {
  return isRecord(value) ? { ...value } : {};
}

function indentOf(text: string): string {
  return /\n([\t ]+)"/.exec(text)?.[1] ?? "  ";
}
