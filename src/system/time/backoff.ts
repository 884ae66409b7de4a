export interface BackoffLimits {
  /** Milliseconds until the first try after a failure. */
  readonly backoffFirst: number;
  readonly backoffMost: number;
}

/**
 * Milliseconds until try number `attempt` (0 is the first after a failure): doubling up to a most, of which a random
 * part of up to a half is taken away, so that servers that fell together do not come back together.
 */
export function backoffDelay(attempt: number, random: number, { backoffFirst, backoffMost }: BackoffLimits): number {
  const full = Math.min(backoffFirst * 2 ** Math.min(attempt, 40), backoffMost);
  return Math.round(full * (1 - random / 2));
}
