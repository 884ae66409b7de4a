import { usage } from "./arguments.ts";

/** A whole number from 1 to `most`, null when it was not given, or `usage.invalid`. */
export function parseCount(what: string, text: string | null, most: number): number | null {
  if (text === null) return null;
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > most)
    throw usage(`${what} must be a whole number from 1 to ${most}, not ${JSON.stringify(text)}`);
  return count;
}
