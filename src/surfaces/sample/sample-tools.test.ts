import { expect, test } from "vitest";
import { SAMPLE_TOOLS } from "./sample-tools.ts";

function run(name: string, args: Readonly<Record<string, unknown>>) {
  const tool = SAMPLE_TOOLS.find(({ definition }) => definition.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool.run(args);
}

test("times come with their offset, in summer and in winter", () => {
  expect(run("time_in", { zone: "Europe/Berlin", at: "2026-07-01T12:00:00Z" })).toMatchObject({
    local: "2026-07-01 14:00:00",
    weekday: "Wednesday",
    offset: "+02:00",
  });
  expect(run("time_in", { zone: "America/New_York", at: "2026-01-01T00:00:00Z" })).toMatchObject({ offset: "-05:00" });
  expect(run("time_in", { zone: "UTC", at: "2026-01-01T00:00:00Z" })).toMatchObject({ offset: "+00:00" });
  expect(() => run("time_in", { zone: "Nowhere/Land" })).toThrow(RangeError);
  expect(() => run("time_in", { zone: "UTC", at: "tomorrow" })).toThrow("ISO 8601");
});

test("texts are counted as people count them", () => {
  expect(run("measure_text", { text: "two words\nnaïve 👩‍👩‍👧\n" })).toMatchObject({
    characters: 18,
    words: 4,
    lines: 2,
  });
  expect(run("measure_text", { text: "" })).toMatchObject({ characters: 0, words: 0, lines: 0, bytes: 0 });
});

test("weekdays are counted in both directions", () => {
  // From Friday to Monday: Friday counts, the weekend does not.
  expect(run("days_between", { from: "2026-11-13", to: "2026-11-16" })).toEqual({ days: 3, weekdays: 1 });
  expect(run("days_between", { from: "2026-11-16", to: "2026-11-13" })).toEqual({ days: -3, weekdays: -1 });
  expect(run("days_between", { from: "2026-01-01", to: "2027-01-01" })).toEqual({ days: 365, weekdays: 261 });
  expect(() => run("days_between", { from: "x", to: "2026-11-13" })).toThrow("YYYY-MM-DD");
});
