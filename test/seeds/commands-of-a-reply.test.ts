import { execFileSync } from "node:child_process";
import { constants, openSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSession, type SessionOptions } from "../../src/index.ts";
import { createScriptedModel } from "../../src/runtime/models/scripted-model.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

/** Seed 001: the commands of one reply, in a repository with a pipe that holds up those who read it. */
async function open(commands: readonly string[], options: SessionOptions = {}) {
  const { project } = tempWorkspace({ "a.txt": "a\n" });
  const run = (program: string, ...argv: readonly string[]) =>
    execFileSync(program, argv, { cwd: project, stdio: "pipe" });
  run("git", "init", "-q");
  run("git", "-c", "user.name=n", "-c", "user.email=e@example.com", "commit", "-qm", "first", "--allow-empty");
  run("mkfifo", "pipe");
  const calls = commands.map((command) => ({ tool: "bash", arguments: { command } }));
  const session = await createSession({
    workspace: project,
    builtins: ["bash"],
    mode: "bypass",
    modelClient: createScriptedModel({ replies: [{ calls }, { text: "done" }] }),
    ...options,
  });
  onTestFinished(() => session.close());
  const seen: string[] = [];
  const named = new Map<string, string>();
  session.on("*", (event) => {
    if (event.type === "tool.execution_start")
      named.set(event.data.toolCallId, String((event.data.arguments as { command: string }).command));
    if (event.type === "tool.running") seen.push(`run ${named.get(event.data.toolCallId)}`);
    if (event.type === "tool.execution_complete")
      seen.push(`${event.data.success ? "end" : "fail"} ${named.get(event.data.toolCallId)}`);
  });
  return { session, seen, pipe: join(project, "pipe") };
}

/** The first command loads what reads command lines, which takes its time. */
const until = (seen: readonly string[]) => expect.poll(() => seen, { timeout: 60_000 });

function codeOf(act: () => unknown): unknown {
  try {
    act();
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}

describe("commands of one reply", () => {
  test("run beside each other where they only read, and alone where they change something: git log and git push", async () => {
    const { session, seen, pipe } = await open(["cat pipe", "git log --format=%s", "git push", "git status"]);
    const running = session.run("go");
    await until(seen).toContain("end git log --format=%s");
    expect(seen).not.toContain("end cat pipe");
    expect(seen).not.toContain("run git push");
    await writeFile(pipe, "go on\n");
    expect(await running).toMatchObject({ text: "done" });
    expect(seen.slice(-5)).toEqual([
      "end cat pipe",
      "run git push",
      "fail git push",
      "run git status",
      "end git status",
    ]);
  });

  test("fail alone, unless the setting of the tool says that one takes the others along; the run goes on either way", async () => {
    const alone = await open(["cat pipe", "ls nowhere"]);
    const running = alone.session.run("go");
    await until(alone.seen).toContain("fail ls nowhere");
    await writeFile(alone.pipe, "go on\n");
    expect(await running).toMatchObject({ text: "done" });
    expect(alone.seen).toContain("end cat pipe");
    const together = await open(["cat pipe", "ls nowhere"], {
      toolOverrides: { bash: { traits: { abortSiblings: true } } },
    });
    expect(await together.session.run("go")).toMatchObject({ text: "done" });
    expect(together.seen).toContain("fail cat pipe");
    // Nobody reads the pipe any more.
    const { O_NONBLOCK, O_WRONLY } = constants;
    await expect.poll(() => codeOf(() => openSync(together.pipe, O_WRONLY | O_NONBLOCK))).toBe("ENXIO");
  });
});
