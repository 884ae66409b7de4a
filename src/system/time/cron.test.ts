import fc from "fast-check";
import { expect, test } from "vitest";
import { nextOf, parseCron } from "./cron.ts";

const at = (...parts: [number, number, number, number, number]) => new Date(...parts).getTime();
const next = (line: string, after: number): number | null => {
  const cron = parseCron(line);
  return cron === null ? null : nextOf(cron, after);
};

test.each([
  ["0 9 * * *", at(2026, 0, 5, 8, 59), at(2026, 0, 5, 9, 0)],
  ["0 9 * * *", at(2026, 0, 5, 9, 0), at(2026, 0, 6, 9, 0)],
  ["*/15 * * * *", at(2026, 0, 5, 9, 1), at(2026, 0, 5, 9, 15)],
  ["0 9 * * mon-fri", at(2026, 0, 9, 10, 0), at(2026, 0, 12, 9, 0)],
  ["0 0 29 feb *", at(2026, 0, 1, 0, 0), at(2028, 1, 29, 0, 0)],
  ["30 6 1 * 7", at(2026, 0, 2, 0, 0), at(2026, 0, 4, 6, 30)],
  ["0 0 31 2 *", at(2026, 0, 1, 0, 0), null],
])("%s", (line, after, expected) => {
  expect(next(line, after)).toBe(expected);
});

test.each(["", "* * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "5-1 * * * *", "*/0 * * * *", "a * * * *"])(
  "%j is not a cron line",
  (line) => expect(parseCron(line)).toBe(null),
);

test("what comes next lies behind the moment, fits, and nothing between them does", () => {
  const field = (least: number, most: number) =>
    fc.oneof(fc.constant("*"), fc.integer({ min: least, max: most }).map(String));
  const line = fc
    .tuple(field(0, 59), field(0, 23), field(1, 28), field(1, 12), field(0, 6))
    .map((all) => all.join(" "));
  const moment = fc.integer({ min: at(2026, 0, 1, 0, 0), max: at(2027, 0, 1, 0, 0) });
  fc.assert(
    fc.property(line, moment, (text, after) => {
      const found = next(text, after);
      if (found === null) return;
      expect(found).toBeGreaterThan(after);
      // Nothing between: asked right before it, the answer is the same.
      expect(next(text, found - 1)).toBe(found);
      expect(next(text, after + Math.floor((found - after) / 2))).toBe(found);
    }),
    { numRuns: 50 },
  );
});
