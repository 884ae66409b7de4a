import { isDeepStrictEqual } from "node:util";
import { editorOf } from "../../config/edit/edit-client-file.ts";
import { type JsonPath, valueAt } from "../../config/edit/edit-json.ts";
import { blankComments } from "../../config/layers/blank-extras.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import type { GuardPart } from "./guard-parts.ts";
import type { HookClientName } from "./hook-clients.ts";
import { isInstalledLine } from "./installed-line.ts";
import { toolHookServer } from "./tool-hook.ts";

/** What of ours goes into one file. */
export interface GuardFile {
  /** Null: it is for all of them. */
  readonly client: HookClientName | null;
  readonly path: string;
  readonly parts: readonly GuardPart[];
  /** What a file that says nothing else holds. */
  readonly blank: Readonly<Record<string, unknown>>;
}

/** A part that a file has no place for, because it says something else there. */
export class NoPlace extends Error {
  readonly keys: readonly string[];

  constructor(keys: readonly string[]) {
    super(`there is no place for ${keys.join(".")}`);
    this.keys = keys;
  }
}

/** The text with all parts; the same text if it has them. Throws `NoPlace`, without keys for a whole file that is somebody else's. */
export async function withParts(text: string | null, file: GuardFile): Promise<string> {
  const whole = file.parts.find(({ kind }) => kind === "text");
  if (whole?.kind === "text") {
    if (text !== null && !isOwnText(text)) throw new NoPlace([]);
    return whole.text;
  }
  if (file.parts.length === 0) return text ?? "";
  const { blank } = editorOf(file.path);
  const { mark, bare } = splitMark(text ?? "");
  const isNew = bare.trim() === "";
  const all: readonly GuardPart[] = isNew
    ? [
        ...Object.entries(file.blank).map(([key, value]) => ({ kind: "value", keys: [key], value }) as const),
        ...file.parts,
      ]
    : file.parts;
  let after = isNew ? blank : bare;
  for (const part of all) after = await withPart(after, part, file);
  return mark + after;
}

async function withPart(text: string, part: GuardPart, file: GuardFile): Promise<string> {
  const { read, withValue } = editorOf(file.path);
  if (part.kind === "text") return text;
  if (part.kind === "value") {
    if (isDeepStrictEqual(valueAt(await read(text), part.keys), part.value)) return text;
    return placed(await withValue(text, part.keys, part.value), part.keys);
  }
  if (part.kind === "more") return withMore(text, part, file.path);
  const found = ownItems(await read(text), part, file.client);
  const [first, ...others] = found;
  const isWhole = first?.length === part.keys.length + 1;
  if (isWhole && others.length === 0 && isDeepStrictEqual(valueAt(await read(text), first), part.item)) return text;
  let after = text;
  for (const path of [...(isWhole ? others : found)].reverse())
    after = placed(await editorOf(file.path).withoutValue(after, path, path.length - 1), part.keys);
  const list = valueAt(await read(after), part.keys);
  const end = Array.isArray(list) ? list.length : 0;
  return placed(await withValue(after, isWhole ? first : [...part.keys, end], part.item), part.keys);
}

async function withMore(
  text: string,
  { keys, items }: GuardPart & { readonly kind: "more" },
  path: string,
): Promise<string> {
  const { read, withValue } = editorOf(path);
  let after = text;
  for (const item of items) {
    const list = valueAt(await read(after), keys);
    const known: readonly unknown[] = Array.isArray(list) ? list : [];
    if (known.some((one) => isSame(one, item))) continue;
    after = placed(await withValue(after, [...keys, known.length], item), keys);
  }
  return after;
}

/** Tables of TOML have no prototype in common with ours. */
function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(one)), other);
}

function placed(text: string | null, keys: readonly string[]): string {
  if (text === null) throw new NoPlace(keys);
  return text;
}

/**
 * The text without our parts, with what `before` had in their place; its text is null if that leaves nothing. Null instead if
 * nobody can say what to take out.
 */
export async function withoutParts(
  text: string,
  before: string | null,
  file: GuardFile,
): Promise<{ readonly text: string | null } | null> {
  const whole = file.parts.find(({ kind }) => kind === "text");
  if (whole?.kind === "text") return whole.text === text ? { text: null } : isOwnText(text) ? null : { text };
  const { read, withValue, withoutValue } = editorOf(file.path);
  const { mark, bare } = splitMark(text);
  if ((await read(bare)) === null && bare.trim() !== "")
    return file.client !== null && isInstalledLine(text, file.client) ? null : { text };
  const first = before === null ? {} : await read(splitMark(before).bare);
  let after = bare;
  for (const part of [...file.parts].reverse()) {
    if (part.kind === "item") {
      for (const path of [...ownItems(await read(after), part, file.client)].reverse()) {
        const next = await withoutValue(after, path, depthIn(first, path));
        if (next === null) return null;
        after = next;
      }
    } else if (part.kind === "more") {
      const earlier = valueAt(first, part.keys);
      const kept: readonly unknown[] = Array.isArray(earlier) ? earlier : [];
      for (const item of part.items.filter((one) => !kept.some((known) => isSame(known, one)))) {
        const list = valueAt(await read(after), part.keys);
        const at = Array.isArray(list) ? list.findIndex((one) => isSame(one, item)) : -1;
        const path = [...part.keys, at];
        const next = at === -1 ? after : await withoutValue(after, path, depthIn(first, path));
        if (next === null) return null;
        after = next;
      }
    } else if (part.kind === "value" && isDeepStrictEqual(valueAt(await read(after), part.keys), part.value)) {
      const earlier = valueAt(first, part.keys);
      if (isDeepStrictEqual(earlier, part.value)) continue;
      const next =
        earlier === undefined
          ? await withoutValue(after, part.keys, depthIn(first, part.keys))
          : await withValue(after, part.keys, earlier);
      if (next === null) return null;
      after = next;
    }
  }
  const left = await read(after);
  const isEmpty = isDeepStrictEqual(left, file.blank) || isDeepStrictEqual(left, {});
  return { text: before === null && isEmpty && !hasComment(after, file.path) ? null : mark + after };
}

/** Then it is somebody's, although it sets nothing. */
function hasComment(text: string, path: string): boolean {
  return path.endsWith(".toml") ? /#/.test(text) : blankComments(text) !== text;
}

/** How much of the way was there before us: that stays, even if it is empty. */
function depthIn(root: unknown, path: JsonPath): number {
  let depth = 0;
  while (depth < path.length && valueAt(root, path.slice(0, depth + 1)) !== undefined) depth += 1;
  return depth;
}

/** A whole file that was written here, changed since or not. */
export function isOwnText(text: string): boolean {
  return text.includes('Written by "toolcrib guard install"');
}

/** Where items of ours stand in that list, in its order: whole ones, and hooks of ours in a group with others. */
export function ownItems(
  root: unknown,
  { keys }: { readonly keys: readonly string[] },
  client: HookClientName | null,
): readonly JsonPath[] {
  const list = valueAt(root, keys);
  if (!Array.isArray(list)) return [];
  return list.flatMap((item, at): readonly JsonPath[] => {
    if (isOwn(item, client)) return [[...keys, at]];
    const inner: readonly unknown[] = isRecord(item) && Array.isArray(item.hooks) ? item.hooks : [];
    const own = inner.flatMap((hook, index) => (isOwn(hook, client) ? [[...keys, at, "hooks", index]] : []));
    return own.length > 0 && own.length === inner.length ? [[...keys, at]] : own;
  });
}

/** Where a hook has its command. */
const COMMANDS = ["command", "bash"] as const;

function isOwn(hook: unknown, client: HookClientName | null): boolean {
  return installedLineOf(hook, client) !== null || toolHookServer(hook, client) !== null;
}

/** The installed line of a hook; null if it has none of ours. */
export function installedLineOf(hook: unknown, client: HookClientName | null): string | null {
  if (!isRecord(hook) || client === null) return null;
  const found = COMMANDS.map((key) => hook[key]).find(
    (text) => typeof text === "string" && isInstalledLine(text, client),
  );
  return typeof found === "string" ? found : null;
}

function splitMark(text: string): { readonly mark: string; readonly bare: string } {
  const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
  return { mark, bare: text.slice(mark.length) };
}
