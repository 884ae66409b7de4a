/** What work that can be done a little at a time comes to, done at once. */
export function allSteps<T>(work: Iterator<unknown, T, void>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}
