import { expect, test } from "vitest";
import { createFakeClock } from "../../../test/support/fake-clock.ts";
import { onAbort, pause, untilAborted } from "./until-aborted.ts";

const forever = new Promise<never>(() => {});

test("work that ends first counts, whatever the signal says later", async () => {
  const stop = new AbortController();
  const done = untilAborted(Promise.resolve(1), stop.signal);
  expect(await done).toBe(1);
  stop.abort();
  expect(await done).toBe(1);
  await expect(untilAborted(Promise.reject(new Error("broken")), stop.signal, () => 2)).resolves.toBe(2);
});

test("the signal ends the waiting, with its reason or with what is given instead", async () => {
  const stop = new AbortController();
  const waiting = [untilAborted(forever, stop.signal), untilAborted(forever, stop.signal, () => "nothing")];
  stop.abort(new Error("enough"));
  await expect(waiting[0]).rejects.toThrow("enough");
  await expect(waiting[1]).resolves.toBe("nothing");
  const late = untilAborted(forever, stop.signal, () => {
    throw new Error("too late");
  });
  await expect(late).rejects.toThrow("too late");
});

test("a signal that was let go of calls nobody", () => {
  const stop = new AbortController();
  let calls = 0;
  const unsubscribe = onAbort(stop.signal, () => void calls++);
  unsubscribe();
  stop.abort();
  expect(calls).toBe(0);
  onAbort(stop.signal, () => void calls++);
  expect(calls).toBe(1);
});

test("a pause ends in time or with the signal, and leaves no timer", async () => {
  const clock = createFakeClock();
  const stop = new AbortController();
  const over = pause(clock, 100, stop.signal);
  const cut = pause(clock, 1_000, stop.signal);
  clock.advance(100);
  await over;
  stop.abort(new Error("enough"));
  await expect(cut).rejects.toThrow("enough");
  expect(clock.pending).toEqual([]);
});
