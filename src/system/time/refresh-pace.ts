/**
 * When lists are fetched: at most one at a time, their starts at least `interval` apart, and after one that was much work
 * a rest of several times that, so that no list takes more than its share of the process (C5).
 */
export interface RefreshPace {
  /** A change was announced. Answers how long to wait before `start`, or null when a refresh is due or running anyway. */
  announce(now: number): number | null;
  start(now: number): void;
  /** The refresh ended, after so many milliseconds of work. Answers as `announce` does, for changes that came meanwhile. */
  finish(now: number, cost: number): number | null;
}

/** A list that changes all the time is worked on for a fifth of the time at most. */
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
