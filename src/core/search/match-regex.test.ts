import { expect, test } from "vitest";
import { GENEROUS, growth } from "../../../test/fixtures/cost.ts";
import { matchRegex } from "./match-regex.ts";

test("a hostile pattern costs linear time", () => {
  // Descriptions are cut, names are not: the pattern sees every character of these.
  const tools = (length: number) => [{ name: `${"a".repeat(length)}!`, description: "" }];
  expect(matchRegex("^(a+)+$", tools(40))).toMatchObject({ ok: true, found: [] });
  const ratio = growth(4_000, (length) => {
    const hostile = tools(length);
    return () => matchRegex("^(a+)+$", hostile);
  });
  expect(ratio).toBeLessThan(GENEROUS);
});

test("a pattern that is too long is refused", () => {
  expect(matchRegex("a".repeat(501), [])).toMatchObject({ ok: false });
});

test("text beyond the budget is not looked at, and that is told", () => {
  const tools = Array.from({ length: 5_100 }, (_, at) => ({ name: `t${at}`, description: "x".repeat(400) }));
  expect(matchRegex("t5099$", tools)).toMatchObject({ ok: true, complete: false, found: [{ name: "t5099" }] });
});
