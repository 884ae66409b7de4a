import { setTimeout as pass, setImmediate as turn } from "node:timers/promises";
import { isShared } from "./slices.ts";

/** From this length on a text or its bytes take milliseconds in each step that cannot be divided, such as reading JSON. */
const LARGE = 1024 * 1024;
/** Milliseconds, enough for what others have waiting. */
const REST = 10;

/** Between two steps of work on something large; others, if there are any, then wait for one of them, and not for all. */
export function afterLargeWork(): Promise<void> {
  return isShared(performance.now()) ? pass(REST) : turn();
}

export function isLargeWork(length: number): boolean {
  return length > LARGE;
}
