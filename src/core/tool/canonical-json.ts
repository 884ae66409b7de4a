/** Deeper nesting is left to the iterative writer, whose stack has no limit. */
const RECURSION_LIMIT = 500;

export interface CanonicalText {
  readonly text: string;
  /** Levels of arrays and objects; 0 for a scalar. */
  readonly depth: number;
}

/**
 * JSON with the keys of every object in code-unit order, so that equal values have equal text. What JSON cannot express
 * (functions, undefined) is left out, as in `JSON.stringify`. Throws a TypeError for a circular value.
 */
export function toCanonicalJson(value: unknown): CanonicalText {
  const writer: Writer = { parts: [], depth: 0 };
  return write(value, 1, writer) ? { text: writer.parts.join(""), depth: writer.depth } : writeDeep(value);
}

/** Joined only at the end: a text of texts that grow would be walked, and kept by the collector, once for each. */
interface Writer {
  readonly parts: string[];
  depth: number;
}

/** False if the value is nested beyond the recursion limit. */
function write(value: unknown, level: number, writer: Writer): boolean {
  const { parts } = writer;
  if (value === null || typeof value !== "object") {
    parts.push(typeof value === "string" ? quote(value) : toScalar(value));
    return true;
  }
  if (level > RECURSION_LIMIT) return false;
  if (level > writer.depth) writer.depth = level;
  if (Array.isArray(value)) {
    parts.push("[");
    for (let at = 0; at < value.length; at++) {
      if (at > 0) parts.push(",");
      if (!write(value[at], level + 1, writer)) return false;
    }
    parts.push("]");
    return true;
  }
  const members = value as Record<string, unknown>; // Only own keys are read below, so any prototype is harmless.
  let isFirst = true;
  for (const key of sortedKeys(members)) {
    const member = members[key];
    if (!isJson(member)) continue;
    const { first, next } = quoteKey(key);
    parts.push(isFirst ? first : next);
    isFirst = false;
    if (!write(member, level + 1, writer)) return false;
  }
  parts.push(isFirst ? "{}" : "}");
  return true;
}

interface Frame {
  readonly value: object;
  readonly keys: readonly string[] | null;
  readonly size: number;
  at: number;
  wrote: boolean;
}

function writeDeep(root: unknown): CanonicalText {
  const parts: string[] = [];
  const open = new Set<object>();
  const frames: Frame[] = [];
  let depth = 0;
  const enter = (value: unknown): void => {
    if (value === null || typeof value !== "object") {
      parts.push(toScalar(value));
      return;
    }
    if (open.has(value)) throw new TypeError("value contains itself");
    open.add(value);
    const keys = Array.isArray(value)
      ? null
      : sortedKeys(value as Record<string, unknown>).filter((key) => isJson(Reflect.get(value, key))); // Own keys only.
    frames.push({ value, keys, size: keys === null ? (value as unknown[]).length : keys.length, at: 0, wrote: false });
    depth = Math.max(depth, frames.length);
    parts.push(keys === null ? "[" : "{");
  };
  enter(root);
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    if (frame.at === frame.size) {
      parts.push(frame.keys === null ? "]" : "}");
      open.delete(frame.value);
      frames.pop();
      continue;
    }
    const key = frame.keys === null ? frame.at : (frame.keys[frame.at] ?? "");
    const child = (frame.value as Record<string | number, unknown>)[key]; // An own index or key, listed above.
    frame.at += 1;
    if (frame.wrote) parts.push(",");
    frame.wrote = true;
    if (typeof key === "string") parts.push(JSON.stringify(key), ":");
    enter(child);
  }
  return { text: parts.join(""), depth };
}

/** More keys are left to the engine's own sorting, which begins with copies. */
const FEW_KEYS = 24;

function sortedKeys(members: Record<string, unknown>): string[] {
  const keys = Object.keys(members);
  if (keys.length > FEW_KEYS) return keys.sort();
  for (let at = 1; at < keys.length; at++) {
    const key = keys[at] as string; // All indexes below are in range.
    let to = at;
    for (; to > 0 && (keys[to - 1] as string) > key; to--) keys[to] = keys[to - 1] as string;
    keys[to] = key;
  }
  return keys;
}

/** Schemas repeat few keys and short texts very often; the caches are bounded because both are untrusted. */
const quotedKeys = new Map<string, QuotedKey>();
const quotedTexts = new Map<string, string>();
const MAX_QUOTED = 2_000;
const LONGEST_KEY = 64;
const LONGEST_TEXT = 16;

function quote(text: string): string {
  if (text.length > LONGEST_TEXT) return JSON.stringify(text);
  const known = quotedTexts.get(text);
  if (known !== undefined) return known;
  const quoted = JSON.stringify(text);
  if (quotedTexts.size < MAX_QUOTED) quotedTexts.set(text, quoted);
  return quoted;
}

/** A key with what stands before it: few short pieces make a text that is quickly joined. */
interface QuotedKey {
  readonly first: string;
  readonly next: string;
}

function quoteKey(key: string): QuotedKey {
  const known = quotedKeys.get(key);
  if (known !== undefined) return known;
  const quoted = JSON.stringify(key);
  const both = { first: `{${quoted}:`, next: `,${quoted}:` };
  if (key.length <= LONGEST_KEY && quotedKeys.size < MAX_QUOTED) quotedKeys.set(key, both);
  return both;
}

function isJson(value: unknown): boolean {
  return value !== undefined && typeof value !== "function" && typeof value !== "symbol";
}

function toScalar(value: unknown): string {
  if (typeof value === "boolean") return value ? "true" : "false";
  if (typeof value === "bigint") return value.toString();
  return isJson(value) ? JSON.stringify(value) : "null";
}
