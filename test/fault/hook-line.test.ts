import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { hookScriptFile } from "../../src/config/layers/state-folder.ts";
import { hookLine, hookScript } from "../../src/surfaces/guard/hook-line.ts";
import { BIN, ensureBuilt, finish } from "../support/built-cli.ts";
import { createWorkspace } from "../support/config-workspace.ts";
import { spawnShell } from "../support/spawn-shell.ts";

beforeAll(ensureBuilt);

const PROGRAM = [process.execPath, BIN];

/** A person's machine with the script in place. */
function install(program: readonly string[] = PROGRAM) {
  const machine = createWorkspace({ user: 'permissions:\n  deny: ["Bash(rm:*)"]\n' });
  const script = hookScriptFile({ home: machine.home, env: {} });
  mkdirSync(dirname(script), { recursive: true, mode: 0o700 });
  writeFileSync(script, hookScript({ program }), { mode: 0o600 });
  const ask = (command: string, shell = "/bin/sh") => {
    const event = {
      ...{ session_id: "s1", cwd: machine.cwd, hook_event_name: "PreToolUse", tool_name: "Bash" },
      tool_input: { command },
    };
    const env = { HOME: machine.home, PATH: process.env.PATH ?? "" };
    return finish(spawnShell(hookLine("claude-code", script), JSON.stringify(event), { cwd: machine.cwd, env, shell }));
  };
  return { ...machine, script, ask };
}

describe("the installed line", () => {
  test.each(["/bin/sh", "/bin/bash"])("answers as the command does, in %s", async (shell) => {
    const { ask } = install();
    const denied = await ask("cd x && rm -rf y", shell);
    expect(denied).toMatchObject({ status: 0, err: "" });
    expect(JSON.parse(denied.out).hookSpecificOutput).toMatchObject({ permissionDecision: "deny" });
    expect(await ask("make all", shell)).toMatchObject({ status: 0, out: "", err: "" });
  });

  test("passes on the reason where nothing can be judged", async () => {
    const { ask, write } = install();
    write("user", "permissions:\n  denny: []\n");
    const { status, out, err } = await ask("make all");
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toMatch(/config\.yaml:2: unknown key "denny".*the call is refused\n$/s);
  });
});

describe("the line refuses every call", () => {
  const whole = hookScript({ program: PROGRAM });

  test.each([
    ["is gone", null],
    ["is empty", ""],
    ["is cut short", whole.slice(0, whole.length / 2)],
    ["lacks its last line", whole.slice(0, whole.lastIndexOf("toolcrib_hook"))],
  ])("when the script %s", async (_, text) => {
    const { ask, script } = install();
    rmSync(script);
    if (text !== null) writeFileSync(script, text);
    expect(await ask("make all")).toMatchObject({ status: 2, out: "" });
  });

  test.each([
    ["is gone", "/nowhere/toolcrib"],
    ["says nothing and ends well", "/bin/true"],
    ["says something else", "/bin/echo"],
  ])("when the program %s", async (_, program) => {
    const { status, out, err } = await install([program]).ask("make all");
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toContain("the call is refused");
  });

  test("when the program ends in the middle of its answer", async () => {
    const machine = install();
    const half = `${machine.home}/half`;
    writeFileSync(half, "#!/bin/sh\nprintf 'toolcrib 0\\n\\n'\n");
    chmodSync(half, 0o700);
    expect(await install([half]).ask("make all")).toMatchObject({ status: 2, out: "" });
  });
});
