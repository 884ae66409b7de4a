/** Allows a burst at once and a steady rate forever. */
export interface TokenBucket {
  /** Whether `count` more fit now; if so they are taken. */
  take(count: number, now: number): boolean;
  /** Seconds from the last `take` until this many fit. */
  wait(count: number): number;
}

export function createTokenBucket(burst: number, perSecond: number): TokenBucket {
  let tokens = burst;
  let at: number | null = null;
  return {
    take(count, now) {
      if (at !== null) tokens = Math.min(burst, tokens + (Math.max(0, now - at) / 1000) * perSecond);
      at = now;
      if (tokens < count) return false;
      tokens -= count;
      return true;
    },
    wait: (count) => Math.max(0, count - tokens) / perSecond,
  };
}
