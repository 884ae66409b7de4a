/** A bounded number of places; whoever finds none free waits for its turn. */
export interface WorkPlaces {
  take(signal: AbortSignal): Promise<void>;
  leave(): void;
}

export function createPlaces(count: number): WorkPlaces {
  let free = count;
  const waiting: (() => void)[] = [];
  return {
    async take(signal) {
      signal.throwIfAborted();
      if (free > 0) {
        free -= 1;
        return;
      }
      await new Promise<void>((resolve, reject) => {
        const go = (): void => {
          signal.removeEventListener("abort", giveUp);
          resolve();
        };
        const giveUp = (): void => {
          waiting.splice(waiting.indexOf(go), 1);
          reject(signal.reason);
        };
        waiting.push(go);
        signal.addEventListener("abort", giveUp, { once: true });
      });
    },
    leave() {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    },
  };
}
