import type { Clock, Timer } from "./clock.ts";

/** Calls back when the signal is aborted, at once if it is. Returns a function that unsubscribes. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) listener();
  else signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}

/**
 * The result of the work, or as soon as the signal is aborted `instead`; without that, the signal's reason is thrown.
 * The work itself continues unobserved.
 */
export function untilAborted<T, U = never>(
  work: Promise<T>,
  signal: AbortSignal,
  instead: () => U = () => {
    throw signal.reason;
  },
): Promise<T | U> {
  return new Promise((resolve, reject) => {
    const unsubscribe = onAbort(signal, () => new Promise<U>((settle) => settle(instead())).then(resolve, reject));
    work.then(
      (value) => {
        unsubscribe();
        resolve(value);
      },
      (error: unknown) => {
        unsubscribe();
        reject(error);
      },
    );
  });
}

/** Waits so many milliseconds; rejects with the signal's reason as soon as it is aborted. */
export function pause(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  let timer: Timer = null;
  const over = new Promise<void>((resolve) => {
    timer = clock.setTimeout(resolve, milliseconds);
  });
  return untilAborted(over, signal).finally(() => clock.clearTimeout(timer));
}
