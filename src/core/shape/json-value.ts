import { isRecord } from "./is-record.ts";

export { isRecord };

export type JsonObject = Record<string, unknown>;

/** Providers and servers may send anything, so every value is checked before use. */
export function objectOf(value: unknown): JsonObject {
  return isRecord(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/**
 * Keys from servers are data: `__proto__` must become an ordinary key. Assigning the others is several times faster.
 */
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

/** Arguments as text, for providers that want text; text that was not JSON goes back unchanged. */
export function toArgumentsText(args: unknown): string {
  return typeof args === "string" ? args : (JSON.stringify(args) ?? "{}");
}
