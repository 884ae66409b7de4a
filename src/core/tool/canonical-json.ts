/** Nesting that the plain recursion takes; far beyond it, the stack of the iterative writer has no limit. */
const RECURSION_LIMIT = 500;

export interface CanonicalText {
  readonly text: string;
  /** Levels of arrays and objects; 0 for a scalar. */
  readonly depth: number;
}

/**
 * JSON with the keys of every object in code-unit order, so that equal values have equal text (N10).
 * What JSON cannot say (functions, undefined) is left out, as `JSON.stringify` does.
 * Throws a TypeError on a value that contains itself.
 */
export function toCanonicalJson(value: unknown): CanonicalText {
  const writer: Writer = { depth: 0 };
  const text = write(value, 1, writer);
  return text === undefined ? writeDeep(value) : { text, depth: writer.depth };
}

interface Writer {
  depth: number;
}

/** Returns undefined when the value is nested beyond the recursion limit. */
function write(value: unknown, level: number, writer: Writer): string | undefined {
  if (typeof value === "string") return JSON.stringify(value);
  if (value === null || typeof value !== "object") return toScalar(value);
  if (level > RECURSION_LIMIT) return undefined;
  if (level > writer.depth) writer.depth = level;
  let text = "";
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      const part = write(value[at], level + 1, writer);
      if (part === undefined) return undefined;
      text += at === 0 ? part : `,${part}`;
    }
    return `[${text}]`;
  }
  const members = value as Record<string, unknown>; // Only own keys are read below, so any prototype is harmless.
  for (const key of sortedKeys(members)) {
    const part = write(members[key], level + 1, writer);
    if (part === undefined) return undefined;
    text += text === "" ? `${JSON.stringify(key)}:${part}` : `,${JSON.stringify(key)}:${part}`;
  }
  return `{${text}}`;
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
    const keys = Array.isArray(value) ? null : sortedKeys(value as Record<string, unknown>); // Own keys only.
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

function sortedKeys(members: Record<string, unknown>): string[] {
  const keys = Object.keys(members).filter((key) => isJson(members[key]));
  return keys.length > 1 ? keys.sort() : keys;
}

function isJson(value: unknown): boolean {
  return value !== undefined && typeof value !== "function" && typeof value !== "symbol";
}

function toScalar(value: unknown): string {
  if (typeof value === "bigint") return value.toString();
  return isJson(value) ? JSON.stringify(value) : "null";
}
