import { createTokenBucket, type TokenBucket } from "../../../system/time/token-bucket.ts";

export interface RateLimit {
  /** Seconds to wait before the next request of `key`; 0: it may come now, and is counted. */
  take(key: string): number;
  /** The same, and nothing is counted. */
  wait(key: string): number;
}

/** Keys that are remembered; those that have waited longest begin again with everything. */
const MOST_KEYS = 20_000;

/** A token bucket per key. */
export function createRateLimit(perSecond: number, burst: number, now: () => number): RateLimit {
  const buckets = new Map<string, TokenBucket>();
  const bucketOf = (key: string): TokenBucket => {
    const known = buckets.get(key);
    if (known !== undefined) return known;
    const bucket = createTokenBucket(burst, perSecond);
    const [oldest] = buckets.size < MOST_KEYS ? [] : buckets.keys();
    if (oldest !== undefined) buckets.delete(oldest);
    buckets.set(key, bucket);
    return bucket;
  };
  const secondsOf = (bucket: TokenBucket): number => Math.max(1, Math.ceil(bucket.wait(1)));
  return {
    take(key) {
      const bucket = bucketOf(key);
      return bucket.take(1, now()) ? 0 : secondsOf(bucket);
    },
    wait(key) {
      const bucket = buckets.get(key);
      if (bucket === undefined) return 0;
      bucket.take(0, now());
      return bucket.wait(1) === 0 ? 0 : secondsOf(bucket);
    },
  };
}
