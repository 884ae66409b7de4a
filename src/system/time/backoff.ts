export interface BackoffLimits {
  /** Milliseconds until the first try after a failure. */
  readonly backoffFirst: number;
  readonly backoffMost: number;
}

/**
 * Milliseconds until try number `attempt` (0 is the first after a failure): doubled up to a maximum, minus a random
 * part of up to a half, so that servers that failed together do not return together.
 */
export function backoffDelay(attempt: number, random: number, { backoffFirst, backoffMost }: BackoffLimits): number {
  const full = Math.min(backoffFirst * 2 ** Math.min(attempt, 40), backoffMost);
  return Math.round(full * (1 - random / 2));
}
