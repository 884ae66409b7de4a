import type { Clock } from "./clock.ts";
import { onAbort } from "./until-aborted.ts";

/** Work that is aborted when its time is up, or by the given signal. */
export async function withTimeout<T>(
  clock: Clock,
  within: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = clock.setTimeout(abort, within);
  const unsubscribe = onAbort(outer, abort);
  try {
    return await work(controller.signal);
  } finally {
    clock.clearTimeout(timer);
    unsubscribe();
  }
}
