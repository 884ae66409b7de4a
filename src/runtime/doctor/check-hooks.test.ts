import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createWorkspace } from "../../../test/support/config-workspace.ts";
import { trustWorkspace } from "../../config/load-config.ts";
import { checkHooks } from "./check-hooks.ts";

async function found(hooks: readonly object[], files: Readonly<Record<string, string>> = {}) {
  const workspace = createWorkspace({ "toolcrib.yaml": JSON.stringify({ hooks: { preToolUse: hooks } }), ...files });
  await trustWorkspace(workspace.input());
  const check = async () => checkHooks(await workspace.load()).map(({ text, origin }) => ({ text, origin }));
  return { ...workspace, check };
}

test("a hook whose program is not there is told with its place, and that it blocks", async () => {
  const { check } = await found([{ command: "./gone.sh --now" }, { command: "/nowhere/gone", args: ["x"] }]);
  expect(await check()).toMatchObject([
    {
      text: 'the preToolUse hook "./gone.sh --now" cannot be started, so calls are blocked: there is no program ./gone.sh',
      origin: { kind: "file", file: "toolcrib.yaml", line: 1 },
    },
    { text: expect.stringContaining("there is no program /nowhere/gone") },
  ]);
});

test("one that may not be run is told, until it may", async () => {
  const { check, cwd } = await found([{ command: "tools/audit.sh" }], { "tools/audit.sh": "#!/bin/sh\n" });
  expect(await check()).toHaveLength(1);
  chmodSync(join(cwd, "tools", "audit.sh"), 0o755);
  expect(await check()).toEqual([]);
});

test("what only a shell can tell is not judged", async () => {
  const commands = [
    "audit",
    "$HOME/gone.sh",
    "~/gone.sh",
    "[ -x ./gone.sh ] && ./gone.sh",
    "'./gone.sh'",
    "A=1 ./gone.sh",
    "./gone.sh|cat",
  ];
  const { check } = await found(commands.map((command) => ({ command })));
  expect(await check()).toEqual([]);
});

test("one that need not agree blocks nothing", async () => {
  const { check } = await found([{ command: "./gone.sh", onFailure: "continue" }]);
  expect((await check())[0]?.text).toContain('"./gone.sh" cannot be started: there is');
});
