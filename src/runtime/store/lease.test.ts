import { expect, test, vi } from "vitest";
import { createFakeClock } from "../../../test/support/fake-clock.ts";
import { createLease, LEASE_TIMES } from "./lease.ts";

test("a store that goes away is told once, with why, and again when it is back (S11)", async () => {
  const clock = createFakeClock();
  const told: unknown[] = [];
  let away: Error | null = null;
  const beat = vi.fn(async () => {
    if (away !== null) throw away;
  });
  const lease = createLease(beat, LEASE_TIMES, clock, (error) => told.push(error));
  const pass = async () => {
    const before = beat.mock.calls.length;
    clock.advance(LEASE_TIMES.beat);
    await vi.waitFor(() => expect([beat.mock.calls.length > before, clock.pending.length]).toEqual([true, 1]));
  };
  await lease.start();
  await pass();
  expect(told).toEqual([]);
  const why = new Error("gone");
  away = why;
  for (let at = 0; at < 3; at += 1) await pass();
  expect([told, lease.isGood()]).toEqual([[why], false]);
  away = null;
  await pass();
  await pass();
  expect([told, lease.isGood()]).toEqual([[why, null], true]);
  lease.stop();
});
