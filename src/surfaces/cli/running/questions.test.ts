import { expect, test } from "vitest";
import { isPlainQuestion } from "./questions.ts";

test.each([
  [["why", "bash"], true],
  [["list", "--json", "--mode", "plan"], true],
  [["servers"], true],
  [["servers", "login", "a"], false],
  [["why", "bash", "--fresh"], false],
  [["list", "--world=w.json"], false],
  [["list", "--no-start"], false],
  [["why", "-h"], false],
  [["call", "a", "--log-level", "debug"], false],
  [["--json", "why", "bash"], false],
  [["up"], false],
  [[], false],
])("%j is asked of what runs before anything of it is read: %s", (argv, isPlain) => {
  expect(isPlainQuestion(argv, {})).toBe(isPlain);
  expect(isPlainQuestion(argv, { TOOLCRIB_LOG: "debug" })).toBe(false);
});
