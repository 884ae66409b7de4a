import type { Period } from "../../core/limits/usage-limit.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;

/** A stretch of time in which something is counted, the same on every machine: minutes, days and months of UTC. */
export interface Stretch {
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
}

export function stretchAt(period: Period, now: number): Stretch {
  switch (period) {
    case "minute":
      return { start: now - (now % MINUTE), end: now - (now % MINUTE) + MINUTE };
    case "day":
      return { start: now - (now % DAY), end: now - (now % DAY) + DAY };
    case "month": {
      const at = new Date(now);
      const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
      return { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) };
    }
  }
}
