export interface RateLimit {
  /** Seconds to wait before the next request of `key`; 0: it may come now, and is counted. */
  take(key: string): number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** A bucket for each key that fills up steadily. Keys are principals, so there are never many. */
export function createRateLimit(perSecond: number, burst: number, now: () => number): RateLimit {
  const buckets = new Map<string, Bucket>();
  return {
    take(key) {
      const time = now();
      let bucket = buckets.get(key);
      if (bucket === undefined) {
        bucket = { tokens: burst, at: time };
        buckets.set(key, bucket);
      }
      bucket.tokens = Math.min(burst, bucket.tokens + ((time - bucket.at) / 1000) * perSecond);
      bucket.at = time;
      if (bucket.tokens < 1) return Math.max(1, Math.ceil((1 - bucket.tokens) / perSecond));
      bucket.tokens -= 1;
      return 0;
    },
  };
}
