import { AsyncLocalStorage } from "node:async_hooks";

/**
 * What the current code runs inside of, the innermost first: one for each session. All sessions share one instance,
 * because each `AsyncLocalStorage` that was ever entered makes every promise of the process slower, for good.
 */
export interface Nesting<T> {
  readonly current: readonly T[];
  /** Runs the work inside `one`, replacing the current one of the same session. */
  run<R>(one: T, work: () => R): R;
}

/** Deeper nesting is a chain in which each session started the next, and only its end matters. */
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
