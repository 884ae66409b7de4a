import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isSlowPattern } from "./slow-pattern.ts";

describe("a pattern that can take forever", () => {
  test.each([
    "^(a+)+$",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "(x|x)*y",
    "(a|aa)+$",
    "(.*)*",
    "(\\w+\\s?)*$",
    "^(\\d+,?)+$",
    "(x+x+)+y",
    "(?:a{1,}){2,}",
  ])("%s", (pattern) => {
    expect(isSlowPattern(pattern)).toBe(true);
  });

  test.each([
    "^[a-z0-9]+(-[a-z0-9]+)*$",
    "^([a-z]+\\.)+com$",
    "^(\\d{1,3}\\.){3}\\d{1,3}$",
    "^[^@\\s]+@[^@\\s]+\\.[a-z]+$",
    "^(?:GET|POST|PUT)$",
    "^#([0-9a-f]{3}|[0-9a-f]{6})$",
    "(\\w|-)+",
  ])("is not %s", (pattern) => {
    expect(isSlowPattern(pattern)).toBe(false);
  });

  test("what is no pattern at all is read without a word", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        isSlowPattern(text);
      }),
    );
  });
});
