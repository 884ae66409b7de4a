import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { hookScript, LINE_SECONDS } from "../../src/surfaces/guard/hook-line.ts";
import { BIN, ensureBuilt } from "../support/built-cli.ts";
import { createGuarded } from "../support/guarded-machine.ts";

beforeAll(ensureBuilt);

const PROGRAM = [process.execPath, BIN];
const install = (program = PROGRAM) => createGuarded('permissions:\n  deny: ["Bash(rm:*)"]\n', program);

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

  test("when the program hangs, and lets go of what the client reads", async () => {
    const machine = install();
    const hangs = `${machine.home}/hangs`;
    writeFileSync(hangs, "#!/bin/sh\nsleep 20\n");
    chmodSync(hangs, 0o700);
    const { ask, script } = install([hangs]);
    writeFileSync(script, readFileSync(script, "utf8").replace(`sleep ${LINE_SECONDS}`, "sleep 1"));
    const { status, out, err } = await ask("make all");
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toContain("there was no answer in time");
  });

  test("when the program ends in the middle of its answer", async () => {
    const machine = install();
    const half = `${machine.home}/half`;
    writeFileSync(half, "#!/bin/sh\nprintf 'toolcrib 0\\n\\n'\n");
    chmodSync(half, 0o700);
    expect(await install([half]).ask("make all")).toMatchObject({ status: 2, out: "" });
  });
});
