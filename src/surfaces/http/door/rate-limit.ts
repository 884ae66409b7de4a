import { createTokenBucket, type TokenBucket } from "../../../system/time/token-bucket.ts";

export interface RateLimit {
  /** Seconds to wait before the next request of `key`; 0: it may come now, and is counted. */
  take(key: string): number;
}

/** A token bucket per key. Keys are principals, so there are never many. */
export function createRateLimit(perSecond: number, burst: number, now: () => number): RateLimit {
  const buckets = new Map<string, TokenBucket>();
  return {
    take(key) {
      const bucket = buckets.get(key) ?? createTokenBucket(burst, perSecond);
      buckets.set(key, bucket);
      return bucket.take(1, now()) ? 0 : Math.max(1, Math.ceil(bucket.wait(1)));
    },
  };
}
