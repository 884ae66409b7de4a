/** Runs incremental work to its end and returns the result. */
export function allSteps<T>(work: Iterator<unknown, T, void>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}
