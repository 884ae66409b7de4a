import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { tempWorkspace } from "../../../test/support/temp-workspace.ts";
import { defineTool } from "../../core/tool/define-tool.ts";
import { createScriptedModel, type ScriptedReply } from "../models/scripted-model.ts";
import { createSession } from "../session/library.ts";

const AGENTS = ["a", "b", "c", "d", "e", "f", "g", "h"];
const TURNS = Number(process.env.TOOLCRIB_SOAK_TURNS ?? 12);

test("eight agents at once: events never cross, no file is written by two at once, and what they use adds up", async () => {
  const { project: workspace } = tempWorkspace({ "shared.txt": "n=0;" });
  const writing = new Set<string>();
  let most = 0;
  const note = defineTool("note", {
    description: "Notes",
    parameters: z.object({ who: z.string() }),
    handler: async ({ who }) => {
      writing.add(who);
      most = Math.max(most, writing.size);
      await new Promise(setImmediate);
      writing.delete(who);
      return who;
    },
  });
  const edit = (from: number, to: number) => ({
    tool: "edit",
    arguments: { path: "shared.txt", old_str: `n=${from};`, new_str: `n=${to};` },
  });
  const script = Object.fromEntries(
    AGENTS.map((name): [string, ScriptedReply[]] => [
      name,
      [
        ...Array.from({ length: TURNS - 1 }, (_, at) => ({
          calls: [{ tool: "note", arguments: { who: name } }, edit(at, at + 1)],
          usage: { input: 7, output: 3 },
        })),
        { text: `I am ${name}.`, usage: { input: 7, output: 3 } },
      ],
    ]),
  );
  await using session = await createSession({
    workspace,
    builtins: ["agents", "edit"],
    tools: [note],
    permissions: { mode: "accept-edits" },
    customAgents: AGENTS.map((name) => ({ name, description: "d", prompt: "p", tools: ["note", "edit"] })),
    modelClient: createScriptedModel({
      replies: [
        {
          calls: AGENTS.map((agent) => ({ tool: "task", arguments: { agent, prompt: agent, description: "d" } })),
          usage: { input: 1, output: 1 },
        },
        { text: "All are back.", usage: { input: 1, output: 1 } },
      ],
      agents: script,
    }),
  });
  const crossed: string[] = [];
  let running = 0;
  let edits = 0;
  session.on("*", (event) => {
    const { agent } = event;
    if (event.type === "assistant.message" && agent !== null) {
      const text = JSON.stringify(event.data.content);
      const own = agent.slice(0, 1);
      for (const other of AGENTS)
        if (other !== own && text.includes(`I am ${other}.`)) crossed.push(`${other} in ${agent}`);
    }
    if (
      event.type === "tool.execution_complete" &&
      event.data.toolName === "note" &&
      event.data.content !== agent?.slice(0, 1)
    )
      crossed.push(`${event.data.content} in ${agent}`);
    if (event.type === "tool.running" && event.data.toolName === "edit") {
      running += 1;
      if (running > 1) crossed.push("two edits at once");
    }
    if (event.type === "tool.execution_complete" && event.data.toolName === "edit") {
      running -= 1;
      edits += event.data.success ? 1 : 0;
    }
  });
  const end = await session.run("go", { limits: { turns: 5 } });
  expect(crossed).toEqual([]);
  expect(most).toBeGreaterThan(1);
  expect(end).toMatchObject({ stopReason: "end", totals: { turns: 2 } });
  expect(end.totals.input).toBe(2 + 7 * TURNS * AGENTS.length);
  expect(end.totals.output).toBe(2 + 3 * TURNS * AGENTS.length);
  // The one that came second to a number found it changed already: each number was written once.
  expect(edits).toBeLessThanOrEqual(TURNS - 1);
  expect(readFileSync(join(workspace, "shared.txt"), "utf8")).toBe(`n=${edits};`);
  const answers = JSON.stringify(await session.history());
  for (const name of AGENTS) expect(answers).toContain(`I am ${name}.`);
});

test("an agent that never ends is stopped by its limit", async () => {
  const look = defineTool("look", { description: "Looks", parameters: z.object({}), handler: () => "again" });
  await using session = await createSession({
    builtins: ["agents"],
    tools: [look],
    customAgents: [{ name: "w", description: "d", prompt: "p", maxTurns: 5 }],
    modelClient: createScriptedModel({
      replies: [
        { calls: [{ tool: "task", arguments: { agent: "w", prompt: "go", description: "d" } }] },
        { text: "ok" },
      ],
      agents: { w: Array.from({ length: 50 }, () => ({ calls: [{ tool: "look" }] })) },
    }),
  });
  expect(await session.run("go")).toMatchObject({ stopReason: "end" });
  expect(JSON.stringify(await session.history())).toContain("The agent failed: it ended with max-turns");
});

test("time ends a run in the middle of a call, and leaves a history to go on from", async () => {
  const never = defineTool("wait", {
    description: "Waits",
    parameters: z.object({}),
    handler: (_args, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  });
  await using session = await createSession({
    tools: [never],
    modelClient: createScriptedModel({ replies: [{ calls: [{ tool: "wait" }] }, { text: "and on" }] }),
  });
  expect(await session.run("go", { limits: { time: 30 } })).toMatchObject({ stopReason: "max-time" });
  expect((await session.history()).map(({ role }) => role)).toEqual(["user", "assistant", "answers"]);
  expect(await session.run("more")).toMatchObject({ stopReason: "end", text: "and on" });
});
