/** Counts faults and reports when too many fell into one window of time. */
export interface FaultWindow {
  /** Counts one; true if that makes `limit` within the window. */
  add(now: number): boolean;
}

export function createFaultWindow(limit: number, window: number): FaultWindow {
  const times: number[] = [];
  return {
    add(now) {
      times.push(now);
      if (times.length > limit) times.shift();
      const [first] = times;
      return times.length === limit && first !== undefined && now - first <= window;
    },
  };
}
