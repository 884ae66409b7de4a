let sharedUntil = Number.NEGATIVE_INFINITY;

/** Several work at once, and are reckoned with until then, on the clock of `performance`. */
export function shareUntil(time: number): void {
  sharedUntil = time;
}

/** Whether others gain from slices; to one that works alone they only cost time. */
export function isShared(now: number): boolean {
  return now < sharedUntil;
}

/** Milliseconds that each works before the next one, where several are there: a call waits for two or three rounds of slices. */
export const SHARED_SLICE = 0.4;
/** The same for one that works alone: it gains from fewer slices. */
const WHOLE_SLICE = 1;

/** Milliseconds for which to work now before others get their turn. */
export function sliceAt(now: number): number {
  return isShared(now) ? SHARED_SLICE : WHOLE_SLICE;
}
