import type { Clock } from "../../src/system/time/clock.ts";

/** A clock that stands still until it is told to go on. */
export interface FakeClock extends Clock {
  /** Delays of the timers that are set, soonest first. */
  readonly pending: readonly number[];
  /** Goes on, and runs what becomes due in order. */
  advance(milliseconds: number): void;
}

export function createFakeClock(): FakeClock {
  const timers = new Map<number, { readonly at: number; readonly callback: () => void }>();
  let now = 1_000;
  let last = 0;
  const soonest = () => [...timers].sort(([, a], [, b]) => a.at - b.at)[0];
  return {
    now: () => now,
    setTimeout(callback, delay) {
      last += 1;
      timers.set(last, { at: now + delay, callback });
      return last;
    },
    clearTimeout: (timer) => void timers.delete(Number(timer)),
    get pending() {
      return [...timers.values()].map(({ at }) => at - now).sort((a, b) => a - b);
    },
    advance(milliseconds) {
      const end = now + milliseconds;
      for (let next = soonest(); next !== undefined && next[1].at <= end; next = soonest()) {
        const [id, { at, callback }] = next;
        timers.delete(id);
        now = Math.max(now, at);
        callback();
      }
      now = end;
    },
  };
}
