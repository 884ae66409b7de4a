import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { backoffDelay } from "./backoff.ts";
import { createFaultWindow } from "./fault-window.ts";
import { createRefreshPace } from "./refresh-pace.ts";

describe("backoff", () => {
  const LIMITS = { backoffFirst: 250, backoffMost: 30_000 };

  test("doubles from 0.25 s to 30 s", () => {
    const delays = Array.from({ length: 10 }, (_, at) => backoffDelay(at, 0, LIMITS));
    expect(delays).toEqual([250, 500, 1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000]);
  });

  test("jitter takes at most a half away, and no number of failures breaks it", () => {
    fc.assert(
      fc.property(fc.nat(), fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), (attempt, random) => {
        const full = backoffDelay(attempt, 0, LIMITS);
        const delay = backoffDelay(attempt, random, LIMITS);
        expect(delay).toBeGreaterThanOrEqual(full / 2);
        expect(delay).toBeLessThanOrEqual(full);
      }),
    );
  });
});

describe("refreshes", () => {
  test("start at least half a second apart and never overlap, and no change is missed", () => {
    const event = fc.record({ after: fc.nat(200), takes: fc.nat(900) });
    fc.assert(
      fc.property(fc.array(event, { minLength: 1, maxLength: 80 }), (events) => {
        const pace = createRefreshPace(500);
        const starts: number[] = [];
        let now = 0;
        let due: number | null = null;
        let end: number | null = null;
        let lastChange = 0;
        const run = (until: number, takes: number) => {
          for (;;) {
            const next = Math.min(due ?? Number.POSITIVE_INFINITY, end ?? Number.POSITIVE_INFINITY);
            if (next > until) break;
            if (next === end) {
              const wait = pace.finish(next, 0);
              end = null;
              if (wait !== null) due = next + wait;
            } else {
              pace.start(next);
              starts.push(next);
              due = null;
              end = next + takes;
            }
          }
        };
        for (const { after, takes } of events) {
          now += after;
          run(now, takes);
          lastChange = now;
          const wait = pace.announce(now);
          if (wait !== null) due = now + wait;
        }
        run(Number.MAX_SAFE_INTEGER, 1);
        const gaps = starts.slice(1).map((at, index) => at - (starts[index] ?? 0));
        expect(gaps.every((gap) => gap >= 500)).toBe(true);
        expect(starts.at(-1)).toBeGreaterThanOrEqual(lastChange);
      }),
    );
  });
});

describe("refreshes that are much work", () => {
  test("leave four fifths of the time to everything else, and none of a quiet list is late", () => {
    const refresh = fc.record({ cost: fc.nat(5_000), takes: fc.nat(100) });
    fc.assert(
      fc.property(fc.array(refresh, { minLength: 2, maxLength: 20 }), (refreshes) => {
        const pace = createRefreshPace(500);
        let now = 0;
        let worked = 0;
        let wait = pace.announce(now);
        for (const { cost, takes } of refreshes) {
          expect(wait).not.toBeNull();
          now += wait ?? 0;
          expect(worked).toBeLessThanOrEqual(now / 5);
          pace.start(now);
          // It goes on changing all the time.
          expect(pace.announce(now)).toBeNull();
          now += cost + takes;
          worked += cost;
          wait = pace.finish(now, cost);
        }
        now += wait ?? 0;
        pace.start(now);
        expect(pace.finish(now, 0)).toBeNull();
        expect(pace.announce(now + 500)).toBe(0);
      }),
    );
  });
});

test("faults count only when they fall into one window", () => {
  const window = createFaultWindow(3, 100);
  expect([0, 50, 101, 149, 160].map((now) => window.add(now))).toEqual([false, false, false, true, true]);
});
