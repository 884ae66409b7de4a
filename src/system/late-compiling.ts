import { setFlagsFromString } from "node:v8";

/** Bytes of a function that V8 of Node 20 runs before it compiles it once more, for speed. */
const BUDGET = 66 * 1024;

/** Whether V8 can be told when to compile: later versions have a compiler between the two, and are left alone. */
export function canCompileLate(v8 = process.versions.v8): boolean {
  return v8.startsWith("11.");
}

/**
 * Lets V8 wait so many times longer before it compiles a function for speed, in a process that runs thousands of them a little.
 * What was compiled before, with other options, counts no more for what is loaded from then on.
 */
export function compileLater(times: number): void {
  setFlagsFromString(`--interrupt-budget=${times * BUDGET}`);
}

export function compileAsUsual(): void {
  compileLater(1);
}
