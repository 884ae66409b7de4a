import { setImmediate as turn } from "node:timers/promises";

/** Keeps long work from blocking everything else, and ends it in time. */
export interface Pace {
  /** Lets other work run if it has been a while; throws if the work must stop. */
  step(): Promise<void>;
  readonly isLate: boolean;
  readonly signal: AbortSignal;
  stop(): void;
}

const SLICE = 12;

/** `signal` aborts the work; after `within` milliseconds it ends as too late. */
export function createPace(signal: AbortSignal, within: number): Pace {
  const lateness = new AbortController();
  const timer = setTimeout(() => lateness.abort(), within);
  const deadline = performance.now() + within;
  const either = AbortSignal.any([signal, lateness.signal]);
  let sliceEnd = performance.now() + SLICE;
  return {
    step: async () => {
      const now = performance.now();
      if (now < sliceEnd) return;
      // The timer cannot run while the work does.
      if (now >= deadline) lateness.abort();
      await turn();
      either.throwIfAborted();
      sliceEnd = performance.now() + SLICE;
    },
    get isLate() {
      return lateness.signal.aborted && !signal.aborted;
    },
    signal: either,
    stop: () => clearTimeout(timer),
  };
}
