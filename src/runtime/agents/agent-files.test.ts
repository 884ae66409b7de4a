import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempWorkspace } from "../../../test/support/temp-workspace.ts";
import { createKeyring } from "../executor/keyring.ts";
import { createScheduler } from "../executor/scheduler.ts";
import { createScriptedModel } from "../models/scripted-model.ts";
import { createSession } from "../session/library.ts";

test("an agent with a worktree of its own changes nothing of its parent's, and says where its changes are (B11)", async () => {
  const { project: workspace } = tempWorkspace({ "a.txt": "one\n" });
  const git = (...argv: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...argv], { cwd: workspace, encoding: "utf8" });
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "first");
  writeFileSync(join(workspace, ".git", "hooks", "post-checkout"), "#!/bin/sh\ntouch ../ran\n", { mode: 0o755 });
  const task = (agent: string) => ({ tool: "task", arguments: { agent, prompt: "go", description: "d" } });
  await using session = await createSession({
    workspace,
    builtins: ["edit", "read", "agents"],
    customAgents: [{ name: "writer", description: "writes", prompt: "You write.", worktree: true }],
    permissions: { mode: "accept-edits" },
    modelClient: createScriptedModel({
      replies: [{ calls: [task("writer")] }, { calls: [task("writer")] }, { text: "ok" }],
      agents: {
        writer: [
          { calls: [{ tool: "create", arguments: { path: "b.txt", content: "two\n" } }] },
          { text: "written" },
          { text: "nothing to do" },
        ],
      },
    }),
  });
  const answers: string[] = [];
  session.on("*", (event) => {
    if (event.type === "tool.answers" && event.agent === null)
      answers.push(...event.data.answers.map(({ result }) => result.textResultForLlm));
  });
  await session.run("go");
  const [, path = ""] = /git worktree (\S+);/.exec(answers[0] ?? "") ?? [];
  expect(answers[1]).toBe("nothing to do");
  expect(readFileSync(join(path, "b.txt"), "utf8")).toBe("two\n");
  expect(existsSync(join(workspace, "b.txt"))).toBe(false);
  expect(git("worktree", "list").trim().split("\n")).toHaveLength(2);
  expect(existsSync(join(path, "..", "ran"))).toBe(false);
  git("worktree", "remove", "--force", path);
});

test("calls of two agents on one file wait for each other, and on two files they do not (X5, B11)", async () => {
  const keyring = createKeyring();
  const [one, other] = [createScheduler(10, keyring), createScheduler(10, keyring)];
  const writing = (file: string) => ({ exclusive: true, keys: [file] });
  const first = one.reserve(true);
  await first.ready(writing("a"));
  const second = other.reserve(true);
  let isIn = false;
  const admitted = second.ready(writing("a")).then(() => {
    isIn = true;
  });
  const third = createScheduler(10, keyring).reserve(true);
  await third.ready(writing("b"));
  const reader = createScheduler(10, keyring).reserve(false);
  let isRead = false;
  const read = reader.ready({ exclusive: false, keys: ["a"] }).then(() => {
    isRead = true;
  });
  await new Promise(setImmediate);
  expect([isIn, isRead]).toEqual([false, false]);
  first.release();
  await admitted;
  expect(isRead).toBe(false);
  second.release();
  await read;
});
