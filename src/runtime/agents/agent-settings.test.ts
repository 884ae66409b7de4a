import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempWorkspace } from "../../../test/support/temp-workspace.ts";
import { createScriptedModel } from "../models/scripted-model.ts";
import { createSession } from "../session/library.ts";
import type { SessionOptions } from "../session/options/session-options.ts";

const WRITE = { tool: "create", arguments: { path: "p.txt", content: "x\n" } };
const task = (agent: string, more: object = {}) => ({
  tool: "task",
  arguments: { agent, prompt: "go", description: "d", ...more },
});
const WORKER = { name: "worker", description: "works", prompt: "You work." };

/** A run in which the session's agent has a worker write a file; whether it did, and what the calls of `task` returned. */
async function run(options: SessionOptions, calls: readonly object[] = [task("worker")]) {
  const { project: workspace } = tempWorkspace({});
  await using session = await createSession({
    workspace,
    builtins: ["edit", "read", "agents"],
    permissions: { mode: "accept-edits" },
    ...options,
    modelClient: createScriptedModel({
      replies: [{ calls: calls as never }, { text: "ok" }, { text: "heard" }],
      agents: {
        worker: [{ calls: [WRITE] }, { text: "done" }],
        explore: [{ text: "explored" }],
        plan: [{ text: "planned" }],
      },
    }),
  });
  const answers: string[] = [];
  session.on("*", ({ type, agent, data }) => {
    if (type === "tool.answers" && agent === null)
      answers.push(...data.answers.map(({ result }) => result.textResultForLlm));
  });
  await session.run("go");
  await session.settled();
  return { answers, isWritten: existsSync(join(workspace, "p.txt")) };
}

test("an agent's own mode holds for its calls where it is the stricter one, and never gives it more", async () => {
  expect(await run({ customAgents: [WORKER] })).toMatchObject({ isWritten: true });
  expect(await run({ customAgents: [{ ...WORKER, permissionMode: "plan" }] })).toMatchObject({ isWritten: false });
  const bypass = { ...WORKER, permissionMode: "bypass" } as const;
  expect(await run({ customAgents: [bypass], permissions: { mode: "default" } })).toMatchObject({ isWritten: false });
});

test("an agent's own hooks see its calls, and no others", async () => {
  const refusing = {
    ...WORKER,
    hooks: { preToolUse: [{ matcher: "create", command: "exit 2", dialect: "claude" }] },
  } as const;
  expect(await run({ customAgents: [refusing] })).toMatchObject({ isWritten: false });
  expect(await run({ customAgents: [refusing] }, [WRITE])).toMatchObject({ isWritten: true });
  expect(await run({ customAgents: [refusing], agent: "worker" }, [WRITE])).toMatchObject({ isWritten: false });
});

test("an agent that works in the background is not waited for, whatever the call says", async () => {
  const { answers } = await run({ customAgents: [{ ...WORKER, background: true }] }, [
    task("worker", { mode: "wait" }),
  ]);
  expect(answers[0]).toMatch(/^The agent works in the background with the id "worker-1"/);
});

test("agents that ship answer to Claude's names, and rules that name them so hold", async () => {
  for (const [own, claudes, answer] of [
    ["explore", "Explore", "explored"],
    ["plan", "Plan", "planned"],
  ] as const) {
    expect((await run({}, [task(claudes)])).answers).toEqual([answer]);
    for (const rule of [own, claudes].flatMap((name) => [`Task(${name})`, `Agent(${name})`]))
      for (const name of [own, claudes]) {
        const { answers } = await run({ permissions: { deny: [rule] } }, [task(name)]);
        expect(answers, `${rule} and ${name}`).toEqual([expect.stringMatching(/denied/i)]);
      }
  }
});
