import { expect, test } from "vitest";
import type { Clock, Timer } from "./clock.ts";
import { whileAwake } from "./while-awake.ts";

/** A clock that fires what is due once, however late it is, as a process does that stood still. */
function createLateClock() {
  const due = new Map<object, () => void>();
  const clock: Pick<Clock, "setTimeout" | "clearTimeout"> = {
    setTimeout(listener) {
      const timer = {};
      due.set(timer, listener);
      return timer as Timer;
    },
    clearTimeout: (timer) => void due.delete(timer as object),
  };
  const wakeUp = (): void => {
    const [[timer, listener] = []] = due;
    if (timer !== undefined) due.delete(timer);
    listener?.();
  };
  return { clock: clock as Clock, due, wakeUp };
}

test("a process that stood still for long still takes what came meanwhile, and waits no longer than it may", async () => {
  const { clock, due, wakeUp } = createLateClock();
  let come = (_: string): void => {};
  const work = new Promise<string>((resolve) => {
    come = resolve;
  });
  const waited = whileAwake(work, 5_000, () => new Error("late"), clock);
  wakeUp();
  come("here");
  expect(await waited).toBe("here");
  expect(due.size).toBe(0);
  const inVain = whileAwake(new Promise(() => {}), 5_000, () => new Error("late"), clock);
  for (let at = 0; at < 10; at += 1) wakeUp();
  await expect(inVain).rejects.toThrow("late");
  expect(due.size).toBe(0);
});
