import { describe, expect, test } from "vitest";
import { nameList, sourced } from "../codes/origin.ts";
import { compileRules } from "./compile-rules.ts";
import { findIdleRules } from "./idle-rules.ts";
import { parseRule } from "./rule.ts";

const WORLD = { cwd: "/w", workspace: "/w", home: "/h" };

function idle(lists: { allow?: readonly string[]; ask?: readonly string[]; deny?: readonly string[] }) {
  const toRules = (texts: readonly string[] = []) =>
    nameList(texts).value.map(({ value, origin }) => sourced(parseRule(value, origin), origin));
  const rules = compileRules(
    { allow: toRules(lists.allow), ask: toRules(lists.ask), deny: toRules(lists.deny) },
    WORLD,
  );
  return findIdleRules(rules).map(({ rule, kind, by }) => [rule.text, kind, by?.text ?? null]);
}

describe("rules that decide nothing", () => {
  test("an allow rule under a wider deny or ask rule", () => {
    expect(idle({ deny: ["Bash(git:*)"], allow: ["Bash(git log:*)", "Bash(ls:*)"] })).toEqual([
      ["Bash(git log:*)", "shadowed", "Bash(git:*)"],
    ]);
    expect(idle({ ask: ["Bash"], allow: ["Bash(ls)"] })).toEqual([["Bash(ls)", "shadowed", "Bash"]]);
    expect(idle({ deny: ["Read"], ask: ["Read(src/**)"] })).toEqual([["Read(src/**)", "shadowed", "Read"]]);
  });

  test("a rule beside a wider one of the same list, wherever the two stand", () => {
    expect(idle({ deny: ["Bash(rm:*)", "Bash(rm -rf /tmp)"] })).toEqual([
      ["Bash(rm -rf /tmp)", "repeated", "Bash(rm:*)"],
    ]);
    expect(idle({ allow: ["Bash(git log:*)", "Bash(git:*)", "Read(src/**)"] })).toEqual([
      ["Bash(git log:*)", "repeated", "Bash(git:*)"],
    ]);
    expect(idle({ allow: ["Bash(git log)", "Bash(git log -1)"], deny: ["Bash(rm)", "Bash(rmdir:*)"] })).toEqual([]);
  });

  test("a narrower deny rule shadows nothing", () => {
    expect(idle({ deny: ["Bash(git push:*)"], allow: ["Bash(git:*)"] })).toEqual([]);
    expect(idle({ deny: ["Bash(git push)"], allow: ["Bash(git push:*)"] })).toEqual([]);
  });

  test("rules that cannot allow anything", () => {
    expect(idle({ allow: ["mcp__*", "*", "github/x(owner:me)", "Bash(a && b:*)"] }).map(([, kind]) => kind)).toEqual([
      "dead",
      "dead",
      "dead",
      "dead",
    ]);
    expect(idle({ allow: ["mcp__github__*", "github/*", "Bash(a && b)"] })).toEqual([]);
  });

  test("the same rule twice", () => {
    expect(idle({ deny: ["Bash(rm:*)", "Bash(rm:*)"] })).toEqual([["Bash(rm:*)", "repeated", "Bash(rm:*)"]]);
  });
});
