import { type Arguments, usage } from "./arguments.ts";

const MOST_SECONDS = 7 * 24 * 3_600;

/** Milliseconds that `--idle` says; null where it is not given. */
export function readIdle(args: Pick<Arguments, "value">): number | null {
  const text = args.value("idle");
  if (text === null) return null;
  const seconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (seconds > 0 && seconds <= MOST_SECONDS) return seconds * 1000;
  throw usage(`--idle takes seconds, from above 0 to ${MOST_SECONDS}; found ${JSON.stringify(text)}`);
}
