import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { needs } from "../../../../test/support/machine.ts";
import { createMachine, runCli } from "../../../../test/support/run-cli.ts";
import type { CommandSpec } from "../command-line/command-spec.ts";
import { COMMANDS } from "../command-line/commands.ts";

const PROJECT = `mcpServers:
  github: { command: x }
agents:
  - { name: reviewer, tools: [view] }
`;

function hasShell(shell: string): boolean {
  return spawnSync(shell, ["-c", "exit 0"]).status === 0;
}

/** What bash offers for a line; `toolcrib` itself is a stand-in that lists one name of each kind. */
async function completeInBash(...words: readonly string[]): Promise<readonly string[]> {
  const { cwd, home } = createMachine({ "notes.txt": "" });
  const { out: script } = await runCli(["completion", "bash"]);
  const bin = join(home, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "toolcrib"), `#!/bin/sh\nprintf '%s\\n' "github/open" "a_$3" '$(touch hacked)'\n`);
  chmodSync(join(bin, "toolcrib"), 0o755);
  const quoted = ["toolcrib", ...words].map((word) => `'${word}'`).join(" ");
  const ask = `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _toolcrib; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", `set -u\n${script}\n${ask}`], {
    cwd,
    encoding: "utf8",
    env: { PATH: `${bin}:${process.env.PATH}`, HOME: home },
  });
  expect(stderr).toBe("");
  return stdout.split("\n").filter((line) => line !== "");
}

describe("bash", needs("bash"), () => {
  test.each([
    [["wh"], ["why"]],
    [
      ["list", "--mo"],
      ["--model", "--mode"],
    ],
    [["list", "--mode", "pl"], ["plan"]],
    [["--mode", "plan", "li"], ["list"]],
    [["list", "--mode", "=", "pl"], ["plan"]],
    [["why", "git"], ["github/open"]],
    [["why", "--agent", "a"], ["a_agents"]],
    [["remove", "a"], ["a_servers"]],
    [["config", "a"], ["a_keys"]],
    [
      ["servers", "log"],
      ["login", "logout", "logs"],
    ],
    [["servers", "login", "a"], ["a_servers"]],
    [
      ["help", "serv"],
      ["serve", "servers"],
    ],
    [["list", "--config", "no"], ["notes.txt"]],
    [["completion", "z"], ["zsh"]],
    [["add", "x"], []],
  ])("%j is completed", async (words, expected) => {
    expect([...(await completeInBash(...words))].sort()).toEqual([...expected].sort());
  });

  test("every command is offered", async () => {
    expect(await completeInBash("")).toEqual(Object.keys(COMMANDS));
  });

  test("a name that reads like a command is only a name", async () => {
    const offered = await completeInBash("why", "");
    expect(offered).toContain("$(touch hacked)");
  });
});

test.each(["zsh", "fish"])("%s knows every command and every option", async (shell) => {
  const { out, status } = await runCli(["completion", shell]);
  expect(status).toBe(0);
  for (const [name, { options }] of Object.entries<CommandSpec>(COMMANDS)) {
    expect(out).toContain(name);
    for (const option of options) expect(out).toContain(shell === "fish" ? ` -l ${option} ` : `--${option}`);
  }
});

test.each(["zsh", "fish"].filter(hasShell))("%s reads its script", async (shell) => {
  const { out } = await runCli(["completion", shell]);
  expect(spawnSync(shell, ["-n", "-c", out], { encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
});

describe("names of the workspace, from files alone", () => {
  const lock = {
    version: 2,
    servers: {},
    tools: { "github/open": { signature: "a" }, "github/$(touch x)": { signature: "b" } },
  };
  test.each([
    ["agents", ["reviewer"]],
    ["servers", ["github"]],
    ["tools", ["bash", "github", "github/open"]],
    ["keys", ["mcpServers.github.command", "permissions.mode", "mcpServers"]],
  ])("%s", async (kind, expected) => {
    const { cwd, home } = createMachine({ user: PROJECT, "toolcrib.lock": JSON.stringify(lock) });
    const { status, out, err } = await runCli(["completion", "values", kind], { cwd, env: { HOME: home } });
    expect([status, err]).toEqual([0, ""]);
    expect(out.split("\n")).toEqual(expect.arrayContaining(expected));
    expect(out).not.toContain("$(");
  });
});

test.each([
  [["completion"], "needs SHELL"],
  [["completion", "bsh"], 'did you mean "bash"?'],
  [["completion", "bash", "x"], "takes nothing else"],
  [["completion", "values", "tool"], 'did you mean "tools"?'],
])("%j says what to write", async (argv, said) => {
  expect(await runCli(argv)).toMatchObject({ status: 2, err: expect.stringContaining(said) });
});
