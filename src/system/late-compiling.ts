import { setFlagsFromString } from "node:v8";

/** Bytes of a function that V8 of Node 20 runs before it compiles it once more, for speed. */
const BUDGET = 66 * 1024;

let current = 1;

/** Whether V8 can be told when to compile: later versions have a compiler between the two, and are left alone. */
export function canCompileLate(v8 = process.versions.v8): boolean {
  return v8.startsWith("11.");
}

/** Lets V8 wait so many times longer before it compiles a function for speed, for who runs thousands of them a little. */
export function compileLater(times: number): void {
  current = times;
  setFlagsFromString(`--interrupt-budget=${times * BUDGET}`);
}

export function compileAsUsual(): void {
  compileLater(1);
}

/**
 * Does something, such as loading modules of Node's own, while V8 has the options of others: what came compiled with Node counts
 * only then, and to compile it again takes three times as long.
 */
export function withUsualOptions<T>(work: () => T): T {
  if (current === 1) return work();
  const times = current;
  compileAsUsual();
  try {
    return work();
  } finally {
    compileLater(times);
  }
}
