let sharedUntil = Number.NEGATIVE_INFINITY;

/** Several work at once, and are reckoned with until then, on the clock of `performance`. */
export function shareUntil(time: number): void {
  sharedUntil = time;
}

/** Whether others gain from slices; to one that works alone they only cost time. */
export function isShared(now: number): boolean {
  return now < sharedUntil;
}
