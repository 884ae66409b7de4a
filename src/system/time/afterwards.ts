/**
 * Calls back once all has been done that follows from what happened so far, as far as it waits for nothing outside. A
 * tick alone would come before it: Node runs all ticks before it goes on with anything that was awaited.
 */
export function afterwards(work: () => void): void {
  queueMicrotask(() => process.nextTick(work));
}
