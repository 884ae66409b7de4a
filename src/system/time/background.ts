import { performance } from "node:perf_hooks";

/** Work in steps, each of a few milliseconds at most. */
export type SlicedWork<T = void> = Iterator<unknown, T, void>;

/** Work that can wait, done in slices, so that the rest of the process continues in between. */
export interface Background {
  /** Resolves with the result of the work, or rejects with what it threw. Work starts in the order of the calls. */
  run<T>(work: SlicedWork<T>): Promise<T>;
  /** Does a single step in its turn. Errors it throws are not caught. */
  soon(work: () => void): void;
  /** Does work immediately because its result is needed; counted all the same. */
  now<T>(work: () => T): T;
  /** Resolves once work has been done that listeners of an event queued here in reaction to it. */
  followed(): Promise<void>;
  /** Milliseconds of such work so far, of all callers. */
  readonly spent: number;
}

/** Milliseconds of work before others get their turn. */
export const SLICE = 10;
/** The most one turn can have cost: if it took longer, the machine or the process was asleep. */
export const MOST_COUNTED = 1_000;

const NOTHING: readonly undefined[] = [];

/** Runs one step; returns whether it was the last. */
type NextStep = () => boolean;

export interface BackgroundOptions {
  readonly now?: () => number;
  /** Calls back once everything that waits has had its turn. */
  readonly later?: (turn: () => void) => void;
}

/** One per process: two of them would each take their slice of every turn. */
export function createBackground({
  now = () => performance.now(),
  later = setImmediate,
}: BackgroundOptions = {}): Background {
  const waiting: NextStep[] = [];
  let isScheduled = false;
  let spent = 0;
  const count = (start: number): void => {
    spent += Math.min(now() - start, MOST_COUNTED);
  };
  const schedule = (): void => {
    if (isScheduled || waiting.length === 0) return;
    isScheduled = true;
    later(turn);
  };
  const turn = (): void => {
    isScheduled = false;
    const start = now();
    try {
      for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
        let isOver = step();
        while (!isOver && now() - start < SLICE) isOver = step();
        if (!isOver) waiting.push(step);
        if (now() - start >= SLICE) break;
      }
    } finally {
      count(start);
      schedule();
    }
  };
  const run = <T>(work: SlicedWork<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const step = (): boolean => {
        try {
          const { done, value } = work.next();
          if (done) resolve(value);
          return done === true;
        } catch (error) {
          reject(error);
          return true;
        }
      };
      waiting.push(step);
      schedule();
    });
  return {
    run,
    soon(work) {
      waiting.push(() => {
        work();
        return true;
      });
      schedule();
    },
    async followed() {
      await new Promise<void>((resolve) => later(resolve));
      await run(NOTHING[Symbol.iterator]());
    },
    now(work) {
      const start = now();
      try {
        return work();
      } finally {
        count(start);
      }
    },
    get spent() {
      return spent;
    },
  };
}

export const BACKGROUND: Background = createBackground();
