/** A bounded number of places; whoever finds none waits in line. */
export interface ProcessPlaces {
  /** Resolves to what gives the place back; null when the signal was aborted before there was one. */
  take(signal: AbortSignal): Promise<(() => void) | null>;
  readonly taken: number;
}

export function createPlaces(most: number): ProcessPlaces {
  const waiting = new Set<() => void>();
  let taken = 0;
  const leave = (): void => {
    const [next] = waiting;
    if (next === undefined) taken -= 1;
    else {
      // The place goes over to whoever waited longest.
      waiting.delete(next);
      next();
    }
  };
  const giveBack = (): (() => void) => {
    let isBack = false;
    return () => {
      if (!isBack) leave();
      isBack = true;
    };
  };
  return {
    get taken() {
      return taken;
    },
    take(signal) {
      if (signal.aborted) return Promise.resolve(null);
      if (taken < most) {
        taken += 1;
        return Promise.resolve(giveBack());
      }
      return new Promise((resolve) => {
        const admit = (): void => {
          signal.removeEventListener("abort", onAbort);
          resolve(giveBack());
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
