import { setFlagsFromString } from "node:v8";

/** Bytes of a function that V8 of Node 20 runs before it compiles it once more, for speed. */
const BUDGET = 66 * 1024;
/** How much longer it waits here. */
const TIMES = 16;
const USUAL = `--interrupt-budget=${BUDGET}`;
const LATE = `--interrupt-budget=${TIMES * BUDGET}`;

/** Requests after which a process counts as one that has much to do. */
const MANY = 3_000;

/** Requests until then; null where V8 does as it likes. */
let left: number | null = null;

/**
 * This process mostly waits for models and clients, and runs thousands of functions a little. To compile them for speed took a
 * third of the CPU of an app's first five hundred steps, and less CPU a step came of it only after two thousand. So V8
 * waits longer, until there is much to do. Later versions have a compiler between the two, and are left alone.
 */
export function compileLate(v8 = process.versions.v8): void {
  if (!v8.startsWith("11.")) return;
  setFlagsFromString(LATE);
  left = MANY;
}

/**
 * Does something, such as loading modules of Node's own, while V8 has the options of others: what came compiled with Node counts
 * only then, and to compile it again takes three times as long.
 */
export function withUsualOptions<T>(work: () => T): T {
  if (left === null) return work();
  setFlagsFromString(USUAL);
  try {
    return work();
  } finally {
    setFlagsFromString(LATE);
  }
}

export function noteRequest(): void {
  if (left === null) return;
  left -= 1;
  if (left > 0) return;
  left = null;
  setFlagsFromString(USUAL);
}
