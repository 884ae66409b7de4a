/** When lists are fetched: at most one at a time, and their starts at least `interval` apart (C5). */
export interface RefreshPace {
  /** A change was announced. Answers how long to wait before `start`, or null when a refresh is due or running anyway. */
  announce(now: number): number | null;
  start(now: number): void;
  /** The refresh ended. Answers as `announce` does, for changes that came meanwhile. */
  finish(now: number): number | null;
}

export function createRefreshPace(interval: number): RefreshPace {
  let last = Number.NEGATIVE_INFINITY;
  let state: "idle" | "due" | "running" | "running-and-due" = "idle";
  const wait = (now: number) => Math.max(0, last + interval - now);
  return {
    announce(now) {
      if (state === "running") state = "running-and-due";
      if (state !== "idle") return null;
      state = "due";
      return wait(now);
    },
    start(now) {
      state = "running";
      last = now;
    },
    finish(now) {
      const again = state === "running-and-due";
      state = again ? "due" : "idle";
      return again ? wait(now) : null;
    },
  };
}
