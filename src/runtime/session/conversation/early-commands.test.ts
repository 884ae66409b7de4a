import { execFileSync } from "node:child_process";
import { closeSync, constants, existsSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempWorkspace } from "../../../../test/support/temp-workspace.ts";
import { createSession } from "../library.ts";
import type { SessionOptions } from "../options/session-options.ts";

/** The first command loads what reads command lines, which takes its time. */
const PATIENT = { timeout: 60_000 };

/** A reply that runs these commands, and ends only after `beforeEnd`; which lines hooks were asked about, in order. */
async function reply(
  lines: readonly (string | { readonly command: string; readonly mode: string })[],
  beforeEnd: (world: { readonly project: string; readonly hooked: readonly string[] }) => Promise<void>,
  options: SessionOptions = {},
) {
  const { project } = tempWorkspace({ "a.txt": "a\n" });
  const run = (program: string, ...argv: readonly string[]) => execFileSync(program, argv, { cwd: project });
  run("git", "init", "-q");
  run("mkfifo", "pipe");
  const hooked: string[] = [];
  const session = await createSession({
    workspace: project,
    builtins: ["bash"],
    mode: "bypass",
    ...options,
    hooks: {
      onPreToolUse: ({ toolArgs }) => void hooked.push((toolArgs as { command: string }).command),
    },
  });
  onTestFinished(() => session.close());
  session.payload("anthropic");
  async function* stream() {
    yield { type: "message_start" };
    for (const [index, line] of lines.entries()) {
      const call = { type: "tool_use", id: `c${index}`, name: "bash", input: {} };
      yield { type: "content_block_start", index, content_block: call };
      const partial_json = JSON.stringify(typeof line === "string" ? { command: line } : line);
      yield { type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json } };
      yield { type: "content_block_stop", index };
    }
    await beforeEnd({ project, hooked });
    yield { type: "message_delta", delta: { stop_reason: "tool_use" } };
    yield { type: "message_stop" };
  }
  const results: string[] = [];
  for await (const { resultType } of session.execute(stream())) results.push(resultType);
  return { results, hooked, has: (name: string) => existsSync(join(project, name)) };
}

/** Writes to the pipe if somebody reads it: until then nobody can open it for writing without waiting. */
function pass(pipe: string): boolean {
  try {
    const end = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    writeSync(end, "go on\n");
    closeSync(end);
    return true;
  } catch {
    return false;
  }
}

test("a command that only reads starts while the model still writes", PATIENT, async () => {
  const { results } = await reply(["cat pipe"], ({ project }) =>
    expect.poll(() => pass(join(project, "pipe")), { timeout: 30_000 }).toBe(true),
  );
  expect(results).toEqual(["success"]);
});

test.each([
  "git status; touch x",
  "git status > x",
  "cat a.txt | tee x",
  "cat a.txt & touch x",
  "cat $(touch x; echo a.txt)",
  "find . -maxdepth 0 -exec touch x ';'",
  "sort -o x a.txt",
])("one that only looks so waits for the end, with its hooks: %s", PATIENT, async (line) => {
  const { results, hooked, has } = await reply([line, "cat a.txt"], async (world) => {
    // Whatever may start early has been looked at once the command behind it has.
    await expect.poll(() => world.hooked, { timeout: 30_000 }).toEqual(["cat a.txt"]);
    expect(existsSync(join(world.project, "x"))).toBe(false);
  });
  expect(hooked).toEqual(["cat a.txt", line]);
  expect(results).toEqual(["success", "success"]);
  expect(has("x")).toBe(true);
});

test("one that a rule asks about or denies waits too, and so does one in the background", PATIENT, async () => {
  const { hooked } = await reply(
    ["git status", "head a.txt", { command: "wc a.txt", mode: "background" }, "cat a.txt"],
    async (world) => {
      await expect.poll(() => world.hooked, { timeout: 30_000 }).toEqual(["cat a.txt"]);
    },
    { permissions: { ask: ["Bash(git status)"], deny: ["Bash(head:*)"] } },
  );
  expect(hooked).toHaveLength(4);
});
