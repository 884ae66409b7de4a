/** Waits for a source, up to a limit. */
export interface Patience {
  wait<T>(what: string, work: Promise<T>): Promise<T>;
  end(): void;
}

export function createPatience(milliseconds: number): Patience {
  const timers = new Set<NodeJS.Timeout>();
  return {
    wait: (what, work) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`${what}: nothing within ${milliseconds} ms`)), milliseconds);
        timers.add(timer);
        work.then(resolve, reject).finally(() => {
          clearTimeout(timer);
          timers.delete(timer);
        });
      }),
    end() {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
