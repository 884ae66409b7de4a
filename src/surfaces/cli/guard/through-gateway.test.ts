import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createWorkspace } from "../../../../test/support/config-workspace.ts";
import { runCli } from "../../../../test/support/run-cli.ts";
import { BIN } from "../running/own-program.ts";

const SETTINGS = '{\n  // mine\n  "permissions": { "deny": ["Read(./secret)"] },\n  "hooks": {}\n}\n';
const ENTRY = { mcpServers: { crib: { command: process.execPath, args: [BIN, "connect"] } } };

function newMachine(rules: string, entry: object = ENTRY) {
  const machine = createWorkspace({ user: `permissions:\n  deny: ${rules}\n` });
  const settings = join(machine.home, ".claude", "settings.json");
  mkdirSync(join(machine.home, ".claude"));
  mkdirSync(join(machine.home, ".codex"));
  writeFileSync(settings, SETTINGS);
  writeFileSync(join(machine.home, ".claude.json"), JSON.stringify(entry));
  const env = { HOME: machine.home, PATH: "/usr/bin:/bin" };
  const guard = (...words: readonly string[]) => runCli(["guard", ...words], { cwd: machine.cwd, env });
  return { ...machine, guard, settings: () => readFileSync(settings, "utf8") };
}

const install = ["install", "claude-code", "--through-gateway"];

test("a hook of Claude Code asks the gateway by the name in its files, with every deny rule beside it", async () => {
  const { guard, settings } = newMachine('["Bash(rm -rf:*)", "WebFetch(domain:evil.example)"]');
  const { status, out } = await guard(...install);
  expect({ status, out }).toMatchObject({
    status: 0,
    out: expect.stringContaining("asks nobody while it is not connected"),
  });
  const written = settings();
  expect(written).toContain("// mine");
  const { permissions, hooks } = JSON.parse(written.replace("// mine", ""));
  expect(permissions.deny).toEqual(["Read(./secret)", "Bash(rm -rf:*)", "WebFetch(domain:evil.example)"]);
  expect(hooks.PreToolUse).toMatchObject([
    { matcher: "*", hooks: [{ type: "mcp_tool", server: "crib", tool: "judge", timeout: 10 }] },
  ]);
  expect((await guard(...install)).out).toContain("has the hook");
  expect(settings()).toBe(written);
  await guard("install", "claude-code");
  expect(settings()).not.toMatch(/mcp_tool|rm -rf/);
  expect(settings()).toContain("/toolcrib/guard/hook.sh");
  await guard(...install);
  expect(settings()).toBe(written);
  await guard("remove");
  expect(settings()).toBe(SETTINGS);
});

test.each([
  [
    "a rule that Claude Code cannot say",
    '["Bash(rm:*)", "bash(/^x/)"]',
    ENTRY,
    install,
    /would run what these rules deny .*: bash\(\/\^x\/\)/,
  ],
  [
    "no entry for this Toolcrib",
    '["Bash(rm:*)"]',
    { mcpServers: { crib: { command: "crib" } } },
    install,
    /no entry for this Toolcrib/,
  ],
  [
    "a client without such hooks",
    "[]",
    ENTRY,
    ["install", "gemini-cli", "--through-gateway"],
    /Gemini CLI has no hooks that ask a tool/,
  ],
  ["files of the machine", "[]", ENTRY, [...install, "--managed", "--root", "/tmp/nowhere"], /is for your own files/],
  ["files of a repository", "[]", ENTRY, [...install, "--project"], /is for your own files/],
])("nothing is written with %s", async (_, rules, entry, words, why) => {
  const { guard, settings } = newMachine(rules, entry);
  const { status, err } = await guard(...words);
  expect(status).toBe(2);
  expect(err).toMatch(why);
  expect(settings()).toBe(SETTINGS);
});

test("Codex gets such a hook only where nothing is denied, because its own files take no deny rules", async () => {
  const codex = (machine: ReturnType<typeof newMachine>) => {
    const text = `[mcp_servers.toolcrib]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(BIN)}, "connect"]\n`;
    writeFileSync(join(machine.home, ".codex", "config.toml"), text);
    return machine.guard("install", "codex", "--through-gateway");
  };
  expect(await codex(newMachine('["Bash(rm:*)"]'))).toMatchObject({
    status: 2,
    err: expect.stringContaining("Bash(rm:*)"),
  });
  const free = newMachine("[]");
  // What Claude Code's file denies counts everywhere.
  expect(await codex(free)).toMatchObject({ status: 2, err: expect.stringContaining("Read(./secret)") });
  writeFileSync(join(free.home, ".claude", "settings.json"), "{}");
  expect(await codex(free)).toMatchObject({ status: 0 });
  const { hooks } = JSON.parse(readFileSync(join(free.home, ".codex", "hooks.json"), "utf8"));
  // It does not know the other fields, and would fail.
  expect(Object.keys(hooks.PreToolUse[0].hooks[0].input)).toEqual([
    "client",
    "tool",
    "input",
    "cwd",
    "session",
    "call",
  ]);
});
