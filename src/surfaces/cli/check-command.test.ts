import { describe, expect, test } from "vitest";
import { createMachine, runCli } from "../../../test/run-cli.ts";

const RULES = `permissions:
  allow: ["Bash(git log:*)", "Write(src/**)"]
  ask: ["Bash(git push:*)"]
  deny: ["Bash(rm:*)", "Read(**/.env)"]
`;

async function check(tool: string, args: object, ...flags: readonly string[]) {
  const { cwd, home } = createMachine({ user: RULES });
  const result = await runCli(["check", tool, "--args", JSON.stringify(args), "--json", ...flags], {
    cwd,
    env: { HOME: home },
  });
  return { status: result.status, ...JSON.parse(result.out) };
}

describe("a shell command", () => {
  test.each([
    ["git log -3", "allow", "permission.allowed", 0],
    ["git push", "ask", "permission.asked", 1],
    ["git log && rm x", "deny", "permission.denied", 1],
    ["make", "ask", "permission.no-rule", 1],
    ["cat .env", "deny", "permission.denied", 1],
    ["cat a.txt | head", "allow", "permission.read-only", 0],
    ["cat /etc/passwd", "ask", "permission.no-rule", 1],
    ["echo 'a", "ask", "permission.unreadable", 1],
  ])("%s: %s", async (command, decision, code, status) => {
    expect(await check("bash", { command })).toMatchObject({ decision, code, status });
  });

  test("names the rule, its place and every part", async () => {
    const { rule, origin, parts } = await check("bash", { command: "git log; rm x" });
    expect(rule).toBe("Bash(rm:*)");
    expect(origin).toMatch(/config\.yaml:4$/);
    expect(parts.map(({ part, decision }: { part: string; decision: string }) => [part, decision])).toContainEqual([
      "git log",
      "allow",
    ]);
  });

  test("offers the narrowest rule for each command, never a prefix", async () => {
    const { suggestions } = await check("bash", { command: "make test && npm run 'a b'" });
    expect(suggestions).toEqual(["Bash(make test)", "Bash(npm run 'a b')"]);
  });
});

describe("files and modes", () => {
  test.each([
    ["create", { path: "src/a.ts", content: "" }, [], "allow"],
    ["create", { path: "b.ts", content: "" }, [], "ask"],
    ["create", { path: "b.ts", content: "" }, ["--mode", "accept-edits"], "allow"],
    ["create", { path: ".git/hooks/pre-commit", content: "" }, ["--mode", "accept-edits"], "ask"],
    ["create", { path: "b.ts", content: "" }, ["--mode", "plan"], "deny"],
    ["create", { path: "b.ts", content: "" }, ["--mode", "dont-ask"], "deny"],
    ["create", { path: "b.ts", content: "" }, ["--mode", "bypass"], "allow"],
    ["view", { path: "a.ts" }, [], "allow"],
    ["view", { path: "sub/.env" }, ["--mode", "bypass"], "deny"],
    ["bash", { command: "rm x" }, ["--mode", "bypass"], "deny"],
    ["bash", { command: "git push" }, ["--mode", "bypass"], "ask"],
    ["bash", { command: "ls" }, ["--mode", "plan"], "allow"],
    ["bash", { command: "touch x" }, ["--mode", "plan"], "deny"],
  ] as const)("%s %j %j: %s", async (tool, args, flags, decision) => {
    expect(await check(tool, args, ...flags)).toMatchObject({ decision });
  });
});

test("for people: the decision, the reason, and what would allow it", async () => {
  const { cwd, home } = createMachine({ user: RULES });
  const { out } = await runCli(["check", "bash", "--args", '{"command":"make"}'], { cwd, env: { HOME: home } });
  expect(out).toMatch(/^bash: ask\n {2}"make": no allow rule covers it/);
  expect(out).toContain("To allow it always: Bash(make)");
});

test.each([
  ["bsh", "{}", 1, 'there is no tool "bsh"; did you mean "Bash" or "bash"'],
  ["bash", "{", 2, "--args is not valid JSON: line 1"],
  ["bash", "[]", 2, "--args has to be a JSON object"],
])("%s %s is refused", async (tool, args, status, text) => {
  const { cwd, home } = createMachine();
  const result = await runCli(["check", tool, "--args", args], { cwd, env: { HOME: home } });
  expect(result.status).toBe(status);
  expect(result.err).toContain(text);
});
