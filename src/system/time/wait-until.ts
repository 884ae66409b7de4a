import { type Clock, SYSTEM_CLOCK } from "./clock.ts";
import { onAbort } from "./until-aborted.ts";

/** Something that can be waited for: calls back whenever checking again makes sense. */
export type Watch = (look: () => void) => () => void;

interface WaitLimits {
  readonly signal?: AbortSignal;
  /** Milliseconds. */
  readonly within?: number;
  readonly clock?: Clock;
}

/** Waits until `holds`, checking at every call of `watch`; false if time or the signal ended the wait. */
export async function waitUntil(holds: () => boolean, watch: Watch, limits: WaitLimits): Promise<boolean> {
  const { signal, within, clock = SYSTEM_CLOCK } = limits;
  if (holds()) return true;
  if (signal?.aborted || (within !== undefined && within <= 0)) return false;
  return new Promise((resolve) => {
    const finish = (result: boolean) => {
      clock.clearTimeout(timer);
      unwatch();
      unsubscribe();
      resolve(result);
    };
    const timer = within === undefined ? null : clock.setTimeout(() => finish(holds()), within);
    const unsubscribe = signal === undefined ? () => {} : onAbort(signal, () => finish(false));
    const unwatch = watch(() => {
      if (holds()) finish(true);
    });
  });
}

/** Waits until `watch` has been silent for `quiet` milliseconds, but no longer than `within`. */
export function waitForQuiet(watch: Watch, quiet: number, within: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      clearTimeout(deadline);
      unwatch();
      unsubscribe();
      resolve();
    };
    const timer = setTimeout(finish, quiet);
    const deadline = setTimeout(finish, within);
    const unwatch = watch(() => void timer.refresh());
    const unsubscribe = onAbort(signal, finish);
  });
}
