/** What a timer is belongs to the clock that made it. */
export type Timer = unknown;

/** Time as an argument, so that limits can be tested without waiting for them. */
export interface Clock {
  /** Milliseconds since some moment; never goes back. */
  now(): number;
  setTimeout(callback: () => void, delay: number): Timer;
  clearTimeout(timer: Timer): void;
}

/** Delays of calls, of which there are few. */
const kept = new Set<number>();
const LONG = 10_000;
const MOST_KEPT = 32;

/**
 * Node keeps a list of timers for each delay, and to make it for one timer and throw it away with it costs more than all
 * the rest. Most calls are alone in theirs, so a timer that keeps nobody awake stays in it.
 */
function keepList(delay: number): void {
  kept.add(delay);
  setInterval(() => {}, delay).unref();
}

export const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  setTimeout(callback, delay) {
    if (delay >= LONG && !kept.has(delay) && kept.size < MOST_KEPT) keepList(delay);
    return setTimeout(callback, delay);
  },
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout), // Made right above.
};
