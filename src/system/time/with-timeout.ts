import type { Clock } from "./clock.ts";

/** Work that is told to stop when its time is up, or when somebody else says so. */
export async function withTimeout<T>(
  clock: Clock,
  within: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = clock.setTimeout(abort, within);
  outer.addEventListener("abort", abort, { once: true });
  try {
    return await work(controller.signal);
  } finally {
    clock.clearTimeout(timer);
    outer.removeEventListener("abort", abort);
  }
}
