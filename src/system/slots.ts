/** A bounded number of slots; callers that find none free wait in line. */
export interface Slots {
  /** Resolves to how to leave the slot, once; null if the signal was aborted first. */
  take(signal: AbortSignal): Promise<(() => void) | null>;
  /** Leaves any one slot: for owners that leave and take again. */
  leave(): void;
  readonly taken: number;
}

export function createSlots(most: number): Slots {
  const waiting = new Set<() => void>();
  let taken = 0;
  const leave = (): void => {
    const [next] = waiting;
    if (next === undefined) taken -= 1;
    else {
      // The slot passes to the one that has waited longest.
      waiting.delete(next);
      next();
    }
  };
  const leaveOnce = (): (() => void) => {
    let hasLeft = false;
    return () => {
      if (!hasLeft) leave();
      hasLeft = true;
    };
  };
  return {
    get taken() {
      return taken;
    },
    leave,
    take(signal) {
      if (signal.aborted) return Promise.resolve(null);
      if (taken < most) {
        taken += 1;
        return Promise.resolve(leaveOnce());
      }
      return new Promise((resolve) => {
        const admit = (): void => {
          signal.removeEventListener("abort", onAbort);
          resolve(leaveOnce());
        };
        const onAbort = (): void => {
          waiting.delete(admit);
          resolve(null);
        };
        signal.addEventListener("abort", onAbort, { once: true });
        waiting.add(admit);
      });
    },
  };
}
