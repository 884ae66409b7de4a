import { expect, test } from "vitest";
import { GENEROUS, growth } from "../../../test/fixtures/cost.ts";
import { defaultOrigin, sourced } from "../codes/origin.ts";
import { compileRules, loadPatterns } from "./compile-rules.ts";
import { expandAlternatives, matchesName, matchesSegments } from "./glob-match.ts";
import { parseRule } from "./rule.ts";

const WORLD = { cwd: "/w", workspace: "/w", home: "/h" };

test("a pattern that would take a backtracking engine for ever takes linear time", async () => {
  const deny = [sourced(parseRule("Bash(/^(a+)+$/)", defaultOrigin))];
  await loadPatterns({ deny, ask: [], allow: [] });
  const [rule] = compileRules({ deny, ask: [], allow: [] }, WORLD).deny;
  if (rule?.matcher.kind !== "pattern") throw new Error("it is a pattern");
  const { pattern } = rule.matcher;
  expect(pattern.matcher(`${"a".repeat(40)}!`).find()).toBe(false);
  const ratio = growth(1_000, (length) => () => pattern.matcher(`${"a".repeat(length)}!`).find());
  expect(ratio).toBeLessThan(GENEROUS);
});

test("globs with many stars stay cheap", () => {
  expect(matchesName(`${"*a".repeat(30)}b`, "a".repeat(5_000))).toBe(false);
  expect(
    matchesSegments(
      Array.from({ length: 30 }, () => "**"),
      Array.from({ length: 300 }, () => "a"),
    ),
  ).toBe(true);
});

test("groups of alternatives behind each other are counted no further than they may be", () => {
  const deny = [sourced(parseRule(`Read(${"{a,b}".repeat(60)})`, defaultOrigin))];
  expect(() => compileRules({ deny, ask: [], allow: [] }, WORLD)).toThrow("alternatives");
  expect(expandAlternatives("{a,b}{c,d}")).toEqual(["ac", "ad", "bc", "bd"]);
});

test.each(["Bash(/(?=a)/)", "Bash(/(a/)", "mcp__x__y(/[/)"])("%s is refused with its place", async (text) => {
  const deny = [
    sourced(parseRule(text, { kind: "file", file: "toolcrib.yaml", line: 3 }), {
      kind: "file",
      file: "toolcrib.yaml",
      line: 3,
    } as const),
  ];
  await loadPatterns({ deny, ask: [], allow: [] });
  expect(() => compileRules({ deny, ask: [], allow: [] }, WORLD)).toThrow(
    /^toolcrib\.yaml:3: the pattern of the rule .* cannot be read/,
  );
});
