import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../core/tool/define-tool.ts";
import { ownSurroundings } from "../../system/surroundings.ts";
import { createDeferred } from "../../system/time/deferred.ts";
import { untilAborted } from "../../system/time/until-aborted.ts";
import { createScriptedModel, type Script } from "../models/scripted-model.ts";
import { createSessionIn } from "../session/create-session.ts";
import type { SessionOptions } from "../session/options/session-options.ts";
import type { SurfaceSession } from "../session/program-session.ts";
import { openStore } from "../session/stored/stored-sessions.ts";

const look = defineTool("look", {
  description: "Looks something up",
  parameters: z.object({ what: z.string() }),
  handler: ({ what }) => `found ${what}`,
});
const change = defineTool("change", {
  description: "Changes something",
  parameters: z.object({}),
  handler: () => "changed",
});
const REVIEWER = { name: "reviewer", description: "reviews a change", prompt: "You review.", tools: ["look"] };

function open(script: Script, options: SessionOptions = {}): Promise<SurfaceSession> {
  return createSessionIn(ownSurroundings(), {
    builtins: ["agents"],
    tools: [look, change],
    customAgents: [REVIEWER],
    modelClient: createScriptedModel(script),
    ...options,
  });
}

const start = (agent: string, mode?: string) => ({
  tool: "task",
  arguments: { agent, prompt: `Do it as ${agent}.`, description: "a small task", ...(mode && { mode }) },
});

describe("task", () => {
  test("runs a custom agent with its own history and tools, and returns its last words alone (B1, B2, B10)", async () => {
    await using session = await open({
      replies: [{ calls: [start("reviewer")] }, { text: "The reviewer is content." }],
      agents: { reviewer: [{ calls: [{ tool: "look", arguments: { what: "the diff" } }] }, { text: "All is well." }] },
    });
    const events: [string, string | null][] = [];
    session.on("*", ({ type, agent }) => events.push([type, agent]));
    expect(await session.run("Have it reviewed.")).toMatchObject({ text: "The reviewer is content." });
    const history = JSON.stringify(await session.history());
    expect(history).toContain("All is well.");
    expect(history).not.toContain("found the diff");
    const own = events.filter(([, agent]) => agent === "reviewer-1").map(([type]) => type);
    expect(own).toEqual(
      expect.arrayContaining(["subagent.started", "user.message", "tool.execution_complete", "subagent.completed"]),
    );
    expect(events.find(([type]) => type === "session.idle")).toEqual(["session.idle", null]);
  });

  test("gives a child no more than its parent has, and never tools for the top level (A4)", async () => {
    await using session = await open(
      {
        replies: [{ calls: [start("general")] }, { text: "ok" }],
        agents: {
          general: [
            {
              calls: [
                { tool: "change" },
                { tool: "task", arguments: { agent: "general", prompt: "x", description: "y" } },
              ],
            },
            { text: "neither is there" },
          ],
        },
      },
      { excludedTools: ["change"] },
    );
    const refused: string[] = [];
    session.on("*", (event) => {
      if (event.type === "tool.execution_complete" && event.agent !== null) refused.push(event.data.content);
    });
    await session.run("go");
    expect(refused).toHaveLength(2);
    for (const text of refused) expect(text).toContain("does not exist");
  });

  test("refuses an agent none of whose tools are there, and says which (A5)", async () => {
    await using session = await open(
      { replies: [{ calls: [start("reviewer")] }, { text: "ok" }] },
      { excludedTools: ["look"] },
    );
    await session.run("go");
    expect(JSON.stringify(await session.history())).toContain(
      'the agent \\"reviewer\\" has none of its tools here: look',
    );
  });

  test("names the agents that there are where another is asked for", async () => {
    await using session = await open({ replies: [{ calls: [start("reviever")] }, { text: "ok" }] });
    await session.run("go");
    const history = JSON.stringify(await session.history());
    expect(history).toContain("did you mean reviewer?");
    expect(history).toContain(String.raw`[\"explore\",\"plan\",\"general\",\"reviewer\"]`);
  });

  test("what was approved for a parent is not approved for a child, nor the other way round (B3)", async () => {
    let asked = 0;
    const changing = { calls: [{ tool: "change" }] };
    const worker = { name: "worker", description: "works", prompt: "You work.", tools: ["change"] };
    await using session = await open(
      {
        replies: [changing, { calls: [start("worker")] }, changing, { calls: [start("worker")] }, { text: "ok" }],
        agents: { worker: [changing, changing, { text: "done" }, changing, { text: "done" }] },
      },
      {
        customAgents: [worker],
        permissions: { hostTools: "ask", allow: ["task"] },
        onPermissionRequest: () => {
          asked += 1;
          return { decision: "allow", scope: "session" };
        },
      },
    );
    expect(await session.run("Change it.")).toMatchObject({ text: "ok" });
    // Once for the session's own agent, and once for each that works for it.
    expect(asked).toBe(3);
  });

  test("asks the parent's handler about a child's calls (B3)", async () => {
    const asked: string[] = [];
    await using session = await open(
      {
        replies: [{ calls: [start("general")] }, { text: "ok" }],
        agents: { general: [{ calls: [{ tool: "change" }] }, { text: "not allowed" }] },
      },
      {
        permissions: { hostTools: "ask" },
        onPermissionRequest: ({ toolName }) => {
          asked.push(toolName);
          return { decision: toolName === "task" ? "allow" : "deny" };
        },
      },
    );
    await session.run("go");
    expect(asked).toContain("change");
  });

  test("an error of its model is the agent's, and the parent goes on", async () => {
    await using session = await open({
      replies: [{ calls: [start("reviewer")] }, { text: "I do it myself." }],
      agents: { reviewer: [{ error: { status: 400, message: "no such model" } }] },
    });
    expect(await session.run("go")).toMatchObject({ stopReason: "end", text: "I do it myself." });
    expect(JSON.stringify(await session.history())).toContain("The agent failed: scripted answered 400: no such model");
  });
});

test("hooks see a subagent start and stop, may add to what it knows and send it on; no session starts or ends with it", async () => {
  const told: string[] = [];
  await using session = await open(
    {
      replies: [{ calls: [start("reviewer")] }, { text: "ok" }],
      agents: { reviewer: [{ text: "too early" }, { text: "now it is done" }] },
    },
    {
      hooks: {
        onSessionStart: () => void told.push("session"),
        onSubagentStart: ({ agent_type }) => {
          told.push(`start ${agent_type}`);
          return { additionalContext: "Mind the tests." };
        },
        onSubagentStop: ({ agent_id, stop_hook_active }) => {
          told.push(`stop ${agent_id}`);
          return stop_hook_active ? null : { decision: "block", reason: "Look again." };
        },
      },
    },
  );
  const said: string[] = [];
  session.on("*", (event) => {
    if (event.type === "user.message" && event.agent !== null) said.push(JSON.stringify(event.data.content));
  });
  await session.run("go");
  expect(told).toEqual(["session", "start reviewer", "stop reviewer-1", "stop reviewer-1"]);
  expect(said[0]).toContain("Mind the tests.");
  expect(said[1]).toContain("Look again.");
  expect(JSON.stringify(await session.history())).toContain("now it is done");
});

describe("in the background", () => {
  test("it goes on while the parent is done, and its end starts a run of its own (B4)", async () => {
    const { promise: gate, resolve: leave } = createDeferred<void>();
    const slow = defineTool("look", {
      description: "Looks slowly",
      parameters: z.object({ what: z.string() }),
      handler: async () => {
        await gate;
        return "seen";
      },
    });
    await using session = await open(
      {
        replies: [
          { calls: [start("reviewer", "background")] },
          { text: "It works on it." },
          { calls: [{ tool: "read_agent", arguments: { id: "reviewer-1" } }] },
          { text: "It is done." },
        ],
        agents: { reviewer: [{ calls: [{ tool: "look", arguments: { what: "x" } }] }, { text: "All is well." }] },
      },
      { tools: [slow] },
    );
    expect(await session.run("go")).toMatchObject({ text: "It works on it." });
    const idle = new Promise<void>((resolve) => session.on("session.idle", () => resolve()));
    leave();
    await idle;
    const said = (await session.history()).at(-1);
    expect(JSON.stringify(said)).toContain("It is done.");
    const history = JSON.stringify(await session.history());
    expect(history).toContain('Agent \\"reviewer-1\\" (reviewer) has completed successfully.');
    expect(history).toContain("All is well.");
  });

  test("it can be listed and stopped, and closing the session leaves none behind", async () => {
    const never = defineTool("look", {
      description: "Never ends",
      parameters: z.object({ what: z.string() }),
      handler: (_args, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    });
    const session = await open(
      {
        replies: [
          { calls: [start("reviewer", "background"), start("reviewer", "background")] },
          { calls: [{ tool: "list_agents" }, { tool: "stop_agent", arguments: { id: "reviewer-1" } }] },
          { text: "One is left." },
        ],
        agents: {
          reviewer: Array.from({ length: 2 }, () => ({ calls: [{ tool: "look", arguments: { what: "x" } }] })),
        },
      },
      { tools: [never] },
    );
    await session.run("go");
    const history = JSON.stringify(await session.history());
    expect(history).toContain("Stopped.");
    await session.close();
  });
});

test("somebody stops one agent alone: the others go on, and the agent that started it hears of it at its next request", async () => {
  const release = createDeferred<void>();
  const both = createDeferred<void>();
  let looking = 0;
  const look = defineTool("look", {
    description: "Takes long",
    parameters: z.object({ what: z.string() }),
    handler: async (_args, { signal }) => {
      looking += 1;
      if (looking === 2) both.resolve();
      await untilAborted(release.promise, signal);
      return "seen";
    },
  });
  const looks = { calls: [{ tool: "look", arguments: { what: "x" } }] };
  await using session = await open(
    {
      replies: [
        { calls: [start("reviewer", "background"), start("reviewer")] },
        { text: "The second one is gone." },
        { text: "And the first." },
      ],
      agents: { reviewer: [looks, looks, { text: "Never said." }] },
    },
    { tools: [look] },
  );
  const run = session.run("go");
  await both.promise;
  expect(await session.agents.stop("reviewer-2")).toBe(true);
  expect(await session.agents.stop("reviewer-2")).toBe(false);
  expect(await run).toMatchObject({ stopReason: "end", text: "The second one is gone." });
  expect((await session.agents.list()).map(({ status }) => status)).toEqual(["running", "stopped"]);
  expect(JSON.stringify(await session.history())).toContain("The agent was stopped before it was done.");
  const idle: unknown[] = [];
  session.on("session.idle", (data) => idle.push(data));
  expect(await session.agents.stop("reviewer-1")).toBe(true);
  // Nothing is asked of the model for that alone.
  expect(idle).toEqual([]);
  expect(await session.run("And now?")).toMatchObject({ text: "And the first." });
  const heard = 'Agent \\"reviewer-1\\" (reviewer) was stopped before it was done.';
  expect(JSON.stringify(await session.history())).toContain(heard);
});

test("what a subagent calls is stored before it runs, and what it has for itself stays its own (S2, B1)", async () => {
  const store = await openStore("memory:");
  const seen: unknown[] = [];
  const peek = defineTool("look", {
    description: "Looks into the store",
    parameters: z.object({ what: z.string() }),
    handler: async (_, { toolCallId }) => {
      seen.push((await store.read("one")).at(-1), toolCallId);
      return "seen";
    },
  });
  await using session = await open(
    {
      replies: [{ calls: [start("reviewer")] }, { text: "Done." }],
      agents: { reviewer: [{ calls: [{ tool: "look", arguments: { what: "it" } }] }, { text: "All is well." }] },
    },
    { tools: [peek], store, sessionId: "one" },
  );
  await session.run("Have it reviewed.");
  expect(seen[0]).toMatchObject({ type: "tool.running", agent: "reviewer-1", data: { toolCallId: seen[1] } });
  await store.close();
});
