/** Measures how long single cases take. */
export interface Stopwatch {
  time<T>(work: () => T): T;
  /** Milliseconds that half of them took at most, and nineteen of twenty. */
  quantiles(): { readonly p50Ms: number; readonly p95Ms: number };
}

export function createStopwatch(now: () => number): Stopwatch {
  const times: number[] = [];
  const quantile = (share: number): number => {
    const sorted = times.sort((a, b) => a - b);
    return Number((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(3));
  };
  return {
    time(work) {
      const start = now();
      const result = work();
      times.push(now() - start);
      return result;
    },
    quantiles: () => ({ p50Ms: quantile(0.5), p95Ms: quantile(0.95) }),
  };
}
