import { expect, test } from "vitest";
import { createWorkspace } from "../../../test/support/config-workspace.ts";
import { checkRules } from "./check-rules.ts";

const found = async (files: Readonly<Record<string, string>>) => {
  const { load } = createWorkspace(files);
  return (await checkRules(await load())).map(({ code, level, text, origin }) => ({ code, level, text, origin }));
};

test("rules that never decide are told with their place: dead, shadowed, there twice", async () => {
  const findings = await found({
    user: `permissions:
  deny: ["Bash(git push:*)"]
  ask: ["Bash(make:*)"]
  allow:
    - Bash(git push origin)
    - Bash(make test)
    - "*"
    - Bash(ls && rm:*)
    - todo(action:list)
    - Bash(ls:*)
    - { rule: "Bash(ls:*)", match: [] }
`,
  });
  expect(findings.map(({ code, origin }) => [code, origin.kind === "file" ? origin.line : null])).toEqual([
    ["rule.shadowed", 5],
    ["rule.shadowed", 6],
    ["rule.dead", 7],
    ["rule.dead", 8],
    ["rule.dead", 9],
    ["rule.repeated", 11],
  ]);
  expect(findings[0]?.text).toContain("Bash(git push:*) decides first");
});

test("rules of Claude's settings are looked at beside our own, each with its own file", async () => {
  const findings = await found({
    user: "permissions: { allow: ['Bash(npm publish)'] }",
    ".claude/settings.json": JSON.stringify(
      { permissions: { deny: ["Bash(npm publish:*)"], ask: ["Bash(npm publish x)"] } },
      null,
      1,
    ),
  });
  expect(findings).toMatchObject([
    { code: "rule.shadowed", origin: { file: ".claude/settings.json" } },
    { code: "rule.shadowed", origin: { file: expect.stringContaining("config.yaml") } },
  ]);
});

test("rules that do their work are not mentioned", async () => {
  const user =
    "permissions: { deny: ['Bash(rm:*)', 'Read(.env)'], ask: [web_fetch], allow: ['Bash(git log:*)', 'github/*'] }";
  expect(await found({ user })).toEqual([]);
});
