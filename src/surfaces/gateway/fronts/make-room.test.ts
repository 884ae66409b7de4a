import fc from "fast-check";
import { expect, test } from "vitest";
import { findLeaver, TooManyClients } from "./make-room.ts";

const LIMITS = { sessions: 6, sessionsEach: 3, sessionsOfPerson: 4 };
const placed = (owner: string, silence: number | null, person: string | null = null) => ({ owner, silence, person });
const slot = (owner: string, person: string | null = null) => ({ owner, person });

test("who has as many as one may have puts out its own that was silent longest, and nobody else", () => {
  const all = [placed("a", 5), placed("a", 7), placed("a", null), placed("b", 9_000_000)];
  expect(findLeaver(all, slot("a"), LIMITS)).toBe(all[1]);
});

test("who listens or waits for an answer never has to go", () => {
  const all = [placed("a", null), placed("a", null), placed("a", null), placed("b", 9_000_000)];
  expect(() => findLeaver(all, slot("a"), LIMITS)).toThrow(
    "too many clients: 3 clients of yours are at work; close one",
  );
});

test("who uses many programs puts out their own that was silent longest", () => {
  const all = [
    placed("a", 5, "p"),
    placed("b", 8, "p"),
    placed("c", 7, "p"),
    placed("d", 3, "p"),
    placed("e", 900, "q"),
  ];
  expect(findLeaver(all, slot("f", "p"), LIMITS)).toBe(all[1]);
  expect(findLeaver(all, slot("f", "q"), LIMITS)).toBe(null);
  expect(() =>
    findLeaver(
      all.map((each) => ({ ...each, silence: null })),
      slot("f", "p"),
      LIMITS,
    ),
  ).toThrow("4 clients of yours are at work");
});

test("however clients come, none has more than its share, and a busy one stays", () => {
  const arrivals = fc.array(fc.record({ owner: fc.constantFrom("a", "b", "c"), isBusy: fc.boolean() }), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(arrivals, (coming) => {
      let here: { owner: string; silence: number | null; person: string | null }[] = [];
      for (const { owner, isBusy } of coming) {
        const before = here.filter(({ silence }) => silence === null).length;
        try {
          const leaver = findLeaver(here, slot(owner), LIMITS);
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
