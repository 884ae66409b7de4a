/** Milliseconds between two looks. */
const BETWEEN = 10;

/** Looks again and again until something holds; the time limit of the test is the only one. */
export async function untilHolds(holds: () => unknown): Promise<void> {
  while (!(await holds())) await shortly();
}

/** Before the next look at what another process, or another part of this one, is about to do. */
export function shortly(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, BETWEEN));
}

/**
 * Lets real time pass. Only for what is about time itself: a random moment, a thing that must not happen, a limit by the
 * system's clock. Everything else waits for a condition.
 */
export function letTimePass(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
