import { isRecord } from "../shape/is-record.ts";

export { isRecord };

export type JsonObject = Record<string, unknown>;

/** Providers send and servers declare whatever they like; everything is looked at before it is used. */
export function objectOf(value: unknown): JsonObject {
  return isRecord(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** Keys of servers are data: `__proto__` must become a key and nothing else; assigning is several times faster where none is in the way. */
export function put(target: JsonObject, key: string, value: unknown): void {
  if (!(key in target)) target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Parsed JSON; empty text is an empty object, and text that is no JSON stays text. */
export function parseArguments(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return text;
  }
}

/** Arguments as text again, for providers that want them so; text that was no JSON goes back as it came. */
export function toArgumentsText(args: unknown): string {
  return typeof args === "string" ? args : (JSON.stringify(args) ?? "{}");
}
