import { setFlagsFromString } from "node:v8";

/** Bytes of a function that V8 of Node 20 runs before it compiles it once more, for speed. */
const BUDGET = 66 * 1024;

/** Who wants how much longer. V8 has one budget, and each file that the build joins has a copy of this one. */
const SHARED = Symbol.for("toolcrib: how late V8 compiles");
const shared = globalThis as { [SHARED]?: Map<string, number> };
shared[SHARED] ??= new Map();
const wishes = shared[SHARED];

/**
 * Lets V8 wait so many times longer before it compiles a function for speed, for who runs thousands of them a little; the latest
 * of all wishes counts. Later versions of V8 have a compiler between the two, and are left alone.
 */
export function compileLater(who: string, times: number, v8 = process.versions.v8): void {
  if (!v8.startsWith("11.")) return;
  wishes.set(who, times);
  setTimes(latest());
}

export function compileAsUsual(who: string): void {
  if (wishes.delete(who)) setTimes(latest());
}

/**
 * Does something while V8 has the options of others, such as loading modules of Node's own: what came compiled with Node counts
 * only then, and to compile it again takes three times as long.
 */
export function withUsualOptions<T>(work: () => T): T {
  if (wishes.size === 0) return work();
  setTimes(1);
  try {
    return work();
  } finally {
    setTimes(latest());
  }
}

function latest(): number {
  return Math.max(1, ...wishes.values());
}

function setTimes(times: number): void {
  setFlagsFromString(`--interrupt-budget=${times * BUDGET}`);
}
