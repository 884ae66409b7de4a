import { describe, expect, test } from "vitest";
import { createMachine, runCli } from "../../../../test/support/run-cli.ts";

const RULES = `permissions:
  allow: ["Bash(npm test:*)"]
  ask: ["Bash(git push:*)"]
  deny: ["Bash(rm:*)", "Read(**/.env)", "github/delete_*"]
`;

const machine = createMachine({ user: RULES });

async function cli(...argv: readonly string[]) {
  const { cwd, home } = machine;
  return runCli(argv, { cwd, env: { HOME: home } });
}

async function rowOf(command: string, ...argv: readonly string[]) {
  return JSON.parse((await cli(command, "--json", ...argv)).out);
}

/** The tool with which each of some clients runs a command, and how its hook hears of one. */
const SHELLS = [
  ["claude-code", "Bash", "PreToolUse"],
  ["codex", "Bash", "PreToolUse"],
  ["gemini-cli", "run_shell_command", "BeforeTool"],
  ["qwen-code", "run_shell_command", "PreToolUse"],
] as const;
const COMMANDS = ["git push", "cd x && rm -rf y", "npm test", "make all", "bash"];

async function hookSays(client: string, tool: string, event: string, command: string) {
  const { cwd, home } = machine;
  const stdin = JSON.stringify({ hook_event_name: event, cwd, tool_name: tool, tool_input: { command } });
  const { out } = await runCli(["hook", client], { cwd, env: { HOME: home }, stdin });
  if (out === "") return { decision: null, reason: null };
  const { hookSpecificOutput, ...plain } = JSON.parse(out);
  const { permissionDecision = plain.decision, permissionDecisionReason = plain.reason } = hookSpecificOutput ?? plain;
  return { decision: permissionDecision, reason: permissionDecisionReason };
}

describe("a check for a client says what its hook answers", () => {
  test.each(SHELLS)("%s", async (client, tool, event) => {
    for (const command of COMMANDS) {
      const said = await hookSays(client, tool, event, command);
      for (const name of [tool, "bash"]) {
        const row = await rowOf("check", "--client", client, name, command);
        const reason = row.leavesItToClient ? null : `Toolcrib: ${row.text}${row.origin && ` (${row.origin})`}`;
        expect({ command, decision: row.leavesItToClient ? null : row.decision, reason }).toEqual({ command, ...said });
      }
    }
  });

  test("of a file, in the client's terms or in ours", async () => {
    const theirs = await rowOf("check", "--client", "claude-code", "Read", "--args", '{"file_path":".env"}');
    const ours = await rowOf("check", "--client", "claude-code", "view", "--args", '{"path":".env"}');
    expect(theirs).toMatchObject({ tool: "Read", id: "view", decision: "deny" });
    expect(ours).toEqual({ ...theirs, gateway: ours.gateway });
  });

  test("of a tool of a server", async () => {
    const names = ["github/delete_repo", "mcp__github__delete_repo"];
    for (const name of names)
      expect(await rowOf("check", "--client", "claude-code", name)).toMatchObject({
        id: "github/delete_repo",
        decision: "deny",
      });
  });
});

test("for people: the answer, the rule with file and line, and what the client makes of it", async () => {
  expect((await cli("check", "--client", "claude-code", "bash", "git push")).out).toMatch(
    /^Bash \(bash\) of Claude Code: ask\n {2}the rule Bash\(git push:\*\) asks about "git push" \(~\/\.config\/toolcrib\/config\.yaml:3\)\n$/,
  );
  expect((await cli("check", "--client", "codex", "bash", "git", "push")).out).toContain(
    "whom Codex cannot ask for a hook",
  );
  expect((await cli("check", "--client", "claude-code", "Bash", "make all")).out).toBe(
    "Bash (bash) of Claude Code: pass\n  No rule is about it, so Claude Code goes on as it would without Toolcrib.\n",
  );
  expect((await cli("check", "--client", "codex", "Bash", "npm test")).out).toContain("takes no such word from a hook");
});

test("the status is 0 only where the client is told that it may", async () => {
  const status = async (command: string) => (await cli("check", "--client", "claude-code", "Bash", command)).status;
  expect(await Promise.all(["npm test", "git push", "rm x", "make"].map(status))).toEqual([0, 1, 1, 1]);
});

test("a tool that the gateway offers the client too is judged for both ways", async () => {
  const { cwd, home } = createMachine({ user: `${RULES}gateway: { builtins: all }\n` });
  const run = (...argv: readonly string[]) => runCli(argv, { cwd, env: { HOME: home } });
  const { out, err } = await run("check", "--client", "claude-code", "view", "--args", '{"path":".env"}');
  expect(err).toBe("");
  expect(out).toMatch(/^Read \(view\) of Claude Code: deny\n[\s\S]*\nThrough Toolcrib's gateway view: deny\n/);
});

test("a client without a hook gets what the gateway decides", async () => {
  expect((await cli("check", "--client", "Zed", "bash", "git push")).out).toMatch(/^bash: ask\n/);
});

test("a tool that the client has not is named, with those that it has", async () => {
  const { status, err } = await cli("check", "--client", "codex", "view", "--args", '{"path":"a"}');
  expect(status).toBe(2);
  expect(err).toContain("Codex has no tool that does what view does; those that its hook knows are Bash, apply_patch");
});

describe("why", () => {
  test("with a command is the same answer", async () => {
    const call = ["--client", "claude-code", "bash", "git push"];
    expect(await cli("why", ...call)).toEqual(await cli("check", ...call));
  });

  test("about a client's tool says where the question about a call goes", async () => {
    const { out } = await cli("why", "Bash", "--client", "claude-code");
    expect(out).toContain("\"toolcrib check --client claude-code Bash 'COMMAND'\" says what its hook answers.");
    expect((await cli("why", "bash", "--client", "claude-code")).out).toContain(
      "Claude Code has Bash, which is bash here, of its own",
    );
  });
});
