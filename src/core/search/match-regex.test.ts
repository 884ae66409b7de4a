import { expect, test } from "vitest";
import { matchRegex } from "./match-regex.ts";

test("a hostile pattern costs linear time: 4,000 characters against 40", () => {
  const cost = (length: number): number => {
    // Descriptions are cut, names are not: the pattern sees every character of these.
    const tools = [{ name: `${"a".repeat(length)}!`, description: "" }];
    const times = Array.from({ length: 7 }, () => {
      const start = process.cpuUsage();
      for (let round = 0; round < 20; round++) matchRegex("^(a+)+$", tools);
      return process.cpuUsage(start).user;
    });
    return Math.max(1, Math.min(...times));
  };
  cost(4_000);
  // A hundred times the text; a backtracking engine would not come back at all.
  expect(cost(4_000) / cost(40)).toBeLessThan(400);
});

test("a pattern that is too long is refused", () => {
  expect(matchRegex("a".repeat(501), [])).toMatchObject({ ok: false });
});

test("text beyond the budget is not looked at, and that is told", () => {
  const tools = Array.from({ length: 5_100 }, (_, at) => ({ name: `t${at}`, description: "x".repeat(400) }));
  expect(matchRegex("t5099$", tools)).toMatchObject({ ok: true, complete: false, found: [{ name: "t5099" }] });
});
