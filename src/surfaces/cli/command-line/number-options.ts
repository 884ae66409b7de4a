import { type Arguments, usage } from "./arguments.ts";
import type { OptionName } from "./options.ts";

/** A whole number from 1 to `most`, null when it was not given, or `usage.invalid`. */
export function parseCount(what: string, text: string | null, most: number): number | null {
  if (text === null) return null;
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > most)
    throw usage(`${what} must be a whole number from 1 to ${most}, not ${JSON.stringify(text)}`);
  return count;
}

/** Milliseconds; null when it was not given. */
function readSeconds(args: Pick<Arguments, "value">, name: OptionName, most: number): number | null {
  const text = args.value(name);
  if (text === null) return null;
  const seconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (seconds > 0 && seconds <= most) return seconds * 1000;
  throw usage(`--${name} takes seconds, from above 0 to ${most}; found ${JSON.stringify(text)}`);
}

/** How long servers may take to start. */
export function readTimeout(args: Pick<Arguments, "value">): number {
  return readSeconds(args, "timeout", 3_600) ?? 10_000;
}

/** How long nobody may be there. */
export function readIdle(args: Pick<Arguments, "value">): number | null {
  return readSeconds(args, "idle", 7 * 24 * 3_600);
}
