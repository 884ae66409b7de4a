import { performance } from "node:perf_hooks";
import { createDelayLists } from "./delay-lists.ts";

/** Only the clock that made a timer knows what it is. */
export type Timer = unknown;

/** Time as an argument, so that limits can be tested without waiting for them. */
export interface Clock {
  /** Milliseconds since some moment; never decreases. */
  now(): number;
  setTimeout(callback: () => void, delay: number): Timer;
  clearTimeout(timer: Timer): void;
}

const now = (): number => performance.now();

export const SYSTEM_CLOCK: Clock = { now, ...createDelayLists(now) };
