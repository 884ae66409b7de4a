/** Something that can be waited for: it calls back whenever looking again makes sense. */
export type Watch = (look: () => void) => () => void;

/** Waits until `holds`, looking at every call of `watch`; false when time or the signal ended the wait. */
export function waitUntil(holds: () => boolean, watch: Watch, within: number, signal: AbortSignal): Promise<boolean> {
  if (holds()) return Promise.resolve(true);
  if (signal.aborted || within <= 0) return Promise.resolve(false);
  return new Promise((resolve) => {
    const finish = (result: boolean) => {
      clearTimeout(timer);
      unwatch();
      signal.removeEventListener("abort", onAbort);
      resolve(result);
    };
    const onAbort = () => finish(false);
    const timer = setTimeout(() => finish(holds()), within);
    const unwatch = watch(() => {
      if (holds()) finish(true);
    });
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

/** Waits until `watch` has been silent for `quiet` milliseconds, but no longer than `within`. */
export function waitForQuiet(watch: Watch, quiet: number, within: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      clearTimeout(deadline);
      unwatch();
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, quiet);
    const deadline = setTimeout(finish, within);
    const unwatch = watch(() => void timer.refresh());
    signal.addEventListener("abort", finish, { once: true });
    if (signal.aborted) finish();
  });
}
