/**
 * When lists are fetched: at most one at a time, their starts at least `interval` apart, and after an expensive one a
 * rest of several times its cost, so that no list takes more than its share of the process (C5).
 */
export interface RefreshPace {
  /** A change was announced. Returns how long to wait before `start`, or null if a refresh is due or running anyway. */
  announce(now: number): number | null;
  start(now: number): void;
  /**
   * The refresh ended, after so many milliseconds of work. Returns a wait like `announce` if a change came in between.
   */
  finish(now: number, cost: number): number | null;
}

/** A list that changes all the time gets at most a fifth of the time. */
export const REST = 4;

export function createRefreshPace(interval: number): RefreshPace {
  let earliest = Number.NEGATIVE_INFINITY;
  let state: "idle" | "due" | "running" | "running-and-due" = "idle";
  const wait = (now: number) => Math.max(0, earliest - now);
  return {
    announce(now) {
      if (state === "running") state = "running-and-due";
      if (state !== "idle") return null;
      state = "due";
      return wait(now);
    },
    start(now) {
      state = "running";
      earliest = now + interval;
    },
    finish(now, cost) {
      const again = state === "running-and-due";
      if (state !== "due") state = again ? "due" : "idle";
      earliest = Math.max(earliest, now + REST * cost);
      return again ? wait(now) : null;
    },
  };
}
