import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createWorkspace } from "../../../../test/support/config-workspace.ts";
import { runCli } from "../../../../test/support/run-cli.ts";

const RULES = `permissions:
  deny: ["Bash(rm:*)", "Write(secret.txt)", "Read(keys/**)"]
`;
const PATCH = "*** Begin Patch\n*** Add File: secret.txt\n+one\n*** End Patch\n";
const machine = createWorkspace({ user: RULES });
const { cwd } = machine;

const claude = (tool_name: string, tool_input: object) => ({
  hook_event_name: "PreToolUse",
  ...{ session_id: "s1", cwd, tool_name, tool_input },
});
const copilot = (toolName: string, toolArgs: unknown) => ({ sessionId: "s1", cwd, toolName, toolArgs });
const opencode = (tool: string, args: object) => ({ sessionID: "s1", callID: "c1", directory: cwd, tool, args });

function ask(client: string, event: object, folder = cwd) {
  return runCli(["hook", client], { cwd: folder, env: { HOME: machine.home }, stdin: JSON.stringify(event) });
}

test.each([
  ["a patch of a GPT model", "copilot-cli", copilot("apply_patch", PATCH)],
  ["a patch of a GPT model", "opencode", opencode("apply_patch", { patchText: PATCH })],
  ["a search in several folders", "copilot-cli", copilot("rg", { pattern: "x", paths: ["src", "keys"] })],
  ["a search in several folders", "copilot-cli", copilot("grep", { pattern: "x", paths: "keys" })],
  ["a command that is watched", "qwen-code", claude("monitor", { command: "make; rm -rf y" })],
  ["a command of a tool that nobody knows yet", "claude-code", claude("Later", { command: "cd x && rm -rf y" })],
  ["a command in another folder", "gemini-cli", claude("run_shell_command", { command: "cat a", dir_path: "keys" })],
  [
    "a command in another folder",
    "qwen-code",
    claude("run_shell_command", { command: "cat a", directory: `${cwd}/keys` }),
  ],
  ["a command in another folder", "opencode", opencode("bash", { command: "cat a", workdir: "keys" })],
])("%s is judged at %s", async (_, client, event) => {
  const { status, out } = await ask(client, event);
  expect([status, out]).toEqual([0, expect.stringContaining("config.yaml:2)")]);
});

test.each([
  ["copilot-cli", copilot("apply_patch", PATCH.replace("secret", "other"))],
  ["copilot-cli", copilot("rg", { pattern: "x" })],
  ["qwen-code", claude("monitor", { command: "make all" })],
  ["claude-code", claude("Later", { command: "view", path: "a" })],
  ["opencode", opencode("bash", { command: "cat a", workdir: "src" })],
])("what no rule is about goes on at %s: %j", async (client, event) => {
  expect(await ask(client, event)).toEqual({ status: 0, out: "", err: "" });
});

test("a folder that Codex's model names for a call does not choose the rules of another workspace", async () => {
  const { cwd: project, home, write, root } = createWorkspace({ user: "permissions: {}\n" });
  write("toolcrib.yaml", 'permissions:\n  deny: ["Bash(rm:*)"]\n');
  const other = join(root, "other");
  mkdirSync(join(other, ".git"), { recursive: true });
  const event = { ...claude("Bash", { command: "rm -rf x" }), cwd: other };
  const run = (client: string) =>
    runCli(["hook", client], { cwd: project, env: { HOME: home }, stdin: JSON.stringify(event) });
  expect((await run("codex")).out).toContain("toolcrib.yaml:2");
  // What other clients name is the folder that they work in.
  expect((await run("claude-code")).out).toBe("");
});

test("a call to our gateway is left to it where a version manager starts it, and not where the repository does", async () => {
  const { cwd: project, home, write, root } = createWorkspace({ user: 'permissions:\n  ask: ["toolcrib/*"]\n' });
  write(".mcp.json", JSON.stringify({ mcpServers: { toolcrib: { command: "toolcrib", args: ["connect"] } } }));
  const event = { ...claude("mcp__toolcrib__github__create_issue", {}), cwd: project };
  const answerWith = async (folder: string) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "toolcrib"), "#!/bin/sh\n", { mode: 0o755 });
    const env = { HOME: home, PATH: `${folder}:/usr/bin:/bin` };
    return (await runCli(["hook", "claude-code"], { cwd: project, env, stdin: JSON.stringify(event) })).out;
  };
  expect(await answerWith(join(realpathSync(project), "node_modules/.bin"))).toContain('"ask"');
  expect(await answerWith(join(root, "shims"))).toBe("");
});
