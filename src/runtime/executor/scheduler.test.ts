import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Access, excludes } from "./access.ts";
import { type CallSlot, createScheduler } from "./scheduler.ts";

const reader: Access = { exclusive: false, keys: null };
const writer: Access = { exclusive: true, keys: null };
const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

async function isAdmitted(admission: Promise<boolean>): Promise<boolean> {
  return Promise.race([admission, tick().then(() => false)]);
}

test("readers share and a writer waits for them, and nothing passes the writer", async () => {
  const scheduler = createScheduler();
  const [a, b, w, c] = [
    scheduler.reserve(false),
    scheduler.reserve(false),
    scheduler.reserve(true),
    scheduler.reserve(false),
  ];
  const last = c?.ready(reader);
  expect(await isAdmitted(a.ready(reader))).toBe(true);
  expect(await isAdmitted(b.ready(reader))).toBe(true);
  const writing = w.ready(writer);
  expect(await isAdmitted(writing)).toBe(false);
  expect(await isAdmitted(last)).toBe(false);
  a.release();
  b.release();
  expect(await isAdmitted(writing)).toBe(true);
  expect(await isAdmitted(last)).toBe(false);
  w.release();
  expect(await isAdmitted(last)).toBe(true);
});

test("a writer that is still being asked about holds later calls back; a reader does not", async () => {
  const scheduler = createScheduler();
  const asked = scheduler.reserve(false);
  const read = scheduler.reserve(false);
  expect(await isAdmitted(read.ready(reader))).toBe(true);
  const writing = scheduler.reserve(true);
  const later = scheduler.reserve(false).ready(reader);
  expect(await isAdmitted(later)).toBe(false);
  writing.release();
  expect(await isAdmitted(later)).toBe(true);
  asked.release();
});

test("a released slot is never admitted", async () => {
  const scheduler = createScheduler(1);
  void scheduler.reserve(false).ready(reader);
  const second = scheduler.reserve(false);
  const waiting = second.ready(reader);
  second.release();
  second.release();
  expect(await waiting).toBe(false);
  expect(await second.ready(reader)).toBe(false);
});

describe("whatever is asked for and in whatever order it ends", () => {
  const accesses = fc.array(
    fc.record({
      exclusive: fc.boolean(),
      keys: fc.option(fc.uniqueArray(fc.constantFrom("a", "b", "c"), { minLength: 1 }), { nil: null }),
    }),
    { minLength: 1, maxLength: 40 },
  );

  test("at most ten at once, no conflict beside each other, order of admission kept, nothing passes a writer, all run", async () => {
    await fc.assert(
      fc.asyncProperty(accesses, fc.infiniteStream(fc.nat()), async (all, choices) => {
        const scheduler = createScheduler();
        const running = new Map<number, CallSlot>();
        const admitted: number[] = [];
        for (const [at, access] of all.entries()) {
          const slot = scheduler.reserve(access.exclusive);
          void slot.ready(access).then(() => {
            for (const other of running.keys()) expect(excludes(access, all[other] ?? writer)).toBe(false);
            running.set(at, slot);
            admitted.push(at);
            expect(running.size).toBeLessThanOrEqual(10);
            expect(scheduler.running).toBeLessThanOrEqual(10);
          });
        }
        for (let guard = 0; admitted.length < all.length || running.size > 0; guard += 1) {
          await tick();
          expect(guard).toBeLessThan(200);
          const keys = [...running.keys()];
          const key = keys[(choices.next().value ?? 0) % Math.max(1, keys.length)];
          if (key === undefined) continue;
          const slot = running.get(key);
          running.delete(key);
          slot?.release();
        }
        expect(admitted).toEqual(all.map((_, at) => at));
      }),
      { numRuns: 60 },
    );
  });
});
