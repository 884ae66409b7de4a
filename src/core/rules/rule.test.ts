import { describe, expect, test } from "vitest";
import { errorCodeOf } from "../../../test/fixtures/builders.ts";
import { parseRule } from "./rule.ts";

const parse = (text: string) => parseRule(text, { kind: "file", file: "toolcrib.yaml", line: 3 });

describe("a rule", () => {
  test.each([
    ["Bash", "Bash", null],
    [" Bash ", "Bash", null],
    ["Bash(*)", "Bash", null],
    ["Bash( * )", "Bash", null],
    ["Bash(git log:*)", "Bash", "git log:*"],
    ["Bash(echo (a))", "Bash", "echo (a)"],
    ["mcp__github__*", "mcp__github__*", null],
    ["github/get_*", "github/get_*", null],
    ["Read(./secret/**)", "Read", "./secret/**"],
    ["WebFetch(domain:example.com)", "WebFetch", "domain:example.com"],
    ["__proto__", "__proto__", null],
  ])("%j is about %j with %j", (text, tool, specifier) => {
    expect(parse(text)).toEqual({ text, tool, specifier });
  });

  test.each(["", "  ", "()", "(x)", "Bash(", "Bash)", "Bash()", "Bash( )", "Bash(x) y"])("%j is refused", (text) => {
    expect(errorCodeOf(() => parse(text))).toBe("rule.invalid");
  });

  test("a refusal says where and how to write it", () => {
    expect(() => parse("Bash(")).toThrow(/toolcrib\.yaml:3: the rule "Bash\(" cannot be read; write/);
  });
});
