import { AsyncLocalStorage } from "node:async_hooks";

/**
 * What code runs inside of now, the innermost first: one for each session. All sessions share one of these, for each that
 * was ever entered makes every promise of the process dearer, for good.
 */
export interface Nesting<T> {
  readonly current: readonly T[];
  /** Runs the work inside of `one`, in place of whatever is of the same session. */
  run<R>(one: T, work: () => R): R;
}

/** More sessions inside each other are a chain of what each one began, and only its end matters. */
const MOST_SESSIONS = 16;

export function createNesting<T>(isSameSession: (one: T, other: T) => boolean): Nesting<T> {
  const storage = new AsyncLocalStorage<readonly T[]>();
  const none: readonly T[] = [];
  return {
    get current() {
      return storage.getStore() ?? none;
    },
    run(one, work) {
      const others = (storage.getStore() ?? none).filter((other) => !isSameSession(one, other));
      return storage.run([one, ...others.slice(0, MOST_SESSIONS - 1)], work);
    },
  };
}
