import fc from "fast-check";
import { expect, test } from "vitest";
import { findLeaver, TooManyClients } from "./make-room.ts";

const LIMITS = { sessions: 6, sessionsEach: 3 };
const placed = (owner: string, silence: number | null) => ({ owner, silence });

test("who has as many as one may have puts out its own that was silent longest, and nobody else", () => {
  const all = [placed("a", 5), placed("a", 7), placed("a", null), placed("b", 9_000_000)];
  expect(findLeaver(all, "a", LIMITS)).toBe(all[1]);
});

test("who listens or waits for an answer never has to go", () => {
  const all = [placed("a", null), placed("a", null), placed("a", null), placed("b", 9_000_000)];
  expect(() => findLeaver(all, "a", LIMITS)).toThrow("too many clients: 3 clients of yours are at work; close one");
});

test("however clients come, none has more than its share, and a busy one stays", () => {
  const arrivals = fc.array(fc.record({ owner: fc.constantFrom("a", "b", "c"), isBusy: fc.boolean() }), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(arrivals, (coming) => {
      let here: { owner: string; silence: number | null }[] = [];
      for (const { owner, isBusy } of coming) {
        const before = here.filter(({ silence }) => silence === null).length;
        try {
          const leaver = findLeaver(here, owner, LIMITS);
          here = here.filter((each) => each !== leaver);
          here.push(placed(owner, isBusy ? null : 0));
        } catch (error) {
          expect(error).toBeInstanceOf(TooManyClients);
        }
        expect(here.filter(({ silence }) => silence === null).length).toBeGreaterThanOrEqual(before);
        expect(here.filter((each) => each.owner === owner).length).toBeLessThanOrEqual(LIMITS.sessionsEach);
        expect(here.length).toBeLessThanOrEqual(LIMITS.sessions);
        for (const each of here) if (each.silence !== null) each.silence += 20_000;
      }
    }),
  );
});
