import { realpathSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/core/tool/define-tool.ts";
import { toTool } from "../../src/core/tool/tool.ts";
import type { ModelClient, ModelRequest } from "../../src/runtime/models/model.ts";
import { createScriptedModel, type Script } from "../../src/runtime/models/scripted-model.ts";
import { createSession } from "../../src/runtime/session/library.ts";
import type { SessionOptions } from "../../src/runtime/session/options/session-options.ts";
import { CONNECTED, type Source } from "../../src/sources/source.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const tool = (name: string, more: object = {}) =>
  defineTool(name, { description: `Does ${name}`, parameters: z.object({}), handler: () => `${name} ran`, ...more });

/** A server that runs for the parent. */
function server(name: string, tools: readonly string[]): Source {
  const listed = tools.map((one) =>
    toTool({ name: one, source: "mcp", server: name, inputSchema: { type: "object" } }),
  );
  return {
    kind: "mcp",
    name,
    status: CONNECTED,
    list: async () => listed,
    run: async ({ name: called }) => ({ textResultForLlm: `${called} ran`, resultType: "success" }),
    changes: () => () => {},
    close: async () => {},
  };
}

/** Has the session's agent start one other, and what that one's model was sent. */
async function startOne(agent: string, options: SessionOptions): Promise<{ tools: string[]; prompt: string }> {
  const script: Script = {
    replies: [{ calls: [{ tool: "task", arguments: { agent, prompt: "go", description: "d" } }] }, { text: "ok" }],
    agents: { [agent]: [{ text: "done" }] },
  };
  const played = createScriptedModel(script);
  const seen: ModelRequest[] = [];
  const modelClient: ModelClient = {
    ...played,
    stream(request, signal) {
      if (request.agent === agent) seen.push(request);
      return played.stream(request, signal);
    },
  };
  await using session = await createSession({ builtins: ["agents"], modelClient, ...options });
  await session.run("go");
  const [request] = seen;
  if (request === undefined) throw new Error(`${agent} was never asked: ${JSON.stringify(await session.history())}`);
  const { payload, system } = request;
  const tools = payload.tools.map((one) => JSON.parse(JSON.stringify(one)).name as string);
  return { tools: tools.sort(), prompt: [...system, ...payload.system].map(({ text }) => text).join("\n") };
}

const custom = (more: object = {}) => ({
  name: "worker",
  description: "works",
  prompt: "You are the worker.",
  ...more,
});

describe("000: subagent toolsets", () => {
  test("subagent session creation passes requested tools, inherited servers, external definitions", async () => {
    const { tools } = await startOne("worker", {
      tools: [tool("deploy"), tool("build")],
      sources: [server("github", ["create_issue", "list_issues"])],
      customAgents: [custom({ tools: ["deploy", "github/list_issues"] })],
    });
    expect(tools).toEqual(["deploy", "github__list_issues"]);
  });

  test("merges the child tool list, parent MCP tools, external tools", async () => {
    const { tools } = await startOne("worker", {
      builtins: ["agents", "think"],
      tools: [tool("deploy")],
      sources: [server("github", ["create_issue"])],
      customAgents: [custom()],
    });
    expect(tools).toEqual(["deploy", "github__create_issue", "think"]);
  });

  test("the merged list is filtered with the parent's filter", async () => {
    const { tools } = await startOne("worker", {
      tools: [tool("deploy"), tool("build")],
      excludedTools: ["deploy"],
      customAgents: [custom({ tools: ["deploy", "build"] })],
    });
    expect(tools).toEqual(["build"]);
  });

  test("the merged list is stripped of deferred-loading hints: they are worked out for the child's own list", async () => {
    const many = Array.from({ length: 40 }, (_, at) => tool(`t${at}`));
    const { tools } = await startOne("worker", { tools: many, customAgents: [custom({ tools: ["t1", "t2"] })] });
    expect(tools).toEqual(["t1", "t2"]);
  });

  test("where the child's own list is too long, search is injected for it too", async () => {
    const many = Array.from({ length: 40 }, (_, at) => tool(`t${at}`));
    const { tools } = await startOne("worker", { tools: many, customAgents: [custom()] });
    expect(tools).toContain("tool_search");
  });

  test("the child session builds a replacement system prompt", async () => {
    const { prompt } = await startOne("worker", {
      systemPrompt: "You are the main one.",
      tools: [tool("deploy", { instructions: "Deploy with care." })],
      customAgents: [custom()],
    });
    expect(prompt).toContain("You are the worker.");
    expect(prompt).toContain("Deploy with care.");
    expect(prompt).not.toContain("You are the main one.");
  });

  test("a child's commands run where its parent's do", async () => {
    const folder = makeTempFolder();
    const pwd = { tool: "bash", arguments: { command: "pwd -P" } };
    const task = { tool: "task", arguments: { agent: "worker", prompt: "go", description: "d" } };
    await using session = await createSession({
      workspace: folder,
      builtins: ["agents", "bash"],
      sandbox: { allowHostShell: true },
      permissions: { allow: ["Bash(pwd:*)"] },
      customAgents: [custom()],
      modelClient: createScriptedModel({
        replies: [{ calls: [pwd, task] }, { text: "ok" }],
        agents: { worker: [{ calls: [pwd] }, { text: "done" }] },
      }),
    });
    const said: [string | null, string][] = [];
    session.on("*", (event) => {
      if (event.type === "tool.execution_complete" && event.data.toolName === "bash")
        said.push([event.agent, event.data.content]);
    });
    await session.run("go");
    const here = `${realpathSync(folder)}\n[exit code 0]`;
    // Both calls of the reply run at once.
    expect(new Map(said)).toEqual(
      new Map([
        [null, here],
        ["worker-1", here],
      ]),
    );
    expect(said).toHaveLength(2);
  });

  test("sidekick and peer tools: helpers for below the top level are there for a child, and not for a custom agent on top", async () => {
    const tools = [tool("helper", { internal: "top-level-incompatible" }), tool("deploy")];
    expect((await startOne("worker", { tools, customAgents: [custom()] })).tools).toEqual(["deploy", "helper"]);
    await using top = await createSession({ tools, customAgents: [custom()], agent: "worker" });
    expect(top.why("helper")).toMatchObject({ explanations: [{ standing: "hidden" }] });
  });
});

describe("001: agent-specific filtering", () => {
  const tools = [tool("change"), tool("direct", { internal: "coordinator-only" })];

  test.each(["explore", "plan"])("read-only agents get reduced tool sets: %s", async (agent) => {
    const { tools: seen } = await startOne(agent, { builtins: "all", tools });
    expect(seen).toEqual(expect.arrayContaining(["view", "grep", "glob"]));
    for (const name of ["bash", "edit", "create", "change", "task"]) expect(seen).not.toContain(name);
  });

  test("sub-agents receive a subset of parent tools", async () => {
    const { tools: seen } = await startOne("general", { tools, excludedTools: ["direct"] });
    expect(seen).toEqual(["change"]);
  });

  test("coordinator workers lose coordinator-internal tools; a coordinator keeps them", async () => {
    const builtins = ["agents"];
    expect((await startOne("worker", { builtins, tools, customAgents: [custom()] })).tools).toEqual(["change"]);
    const lead = await startOne("worker", { builtins, tools, customAgents: [custom({ coordinator: true })] });
    expect(lead.tools).toEqual(expect.arrayContaining(["create_team", "send_to_agent", "direct", "task"]));
  });
});

describe("002: access-custom-agents", () => {
  test("custom agents fire subagent.started, subagent.completed, subagent.failed; selecting one is told too", async () => {
    const start = { tool: "task", arguments: { agent: "worker", prompt: "go", description: "d" } };
    await using session = await createSession({
      builtins: ["agents"],
      tools: [tool("deploy")],
      customAgents: [custom()],
      modelClient: createScriptedModel({
        replies: [{ calls: [start] }, { calls: [start] }, { text: "ok" }],
        agents: { worker: [{ text: "done" }, { error: { status: 400 } }] },
      }),
    });
    const told: string[] = [];
    session.on("*", ({ type }) => {
      if (type.startsWith("subagent.")) told.push(type.slice("subagent.".length));
    });
    await session.run("go");
    await session.updateOptions({ agent: "worker" });
    await session.updateOptions({ agent: null });
    expect(told).toEqual(["started", "completed", "started", "failed", "selected", "deselected"]);
  });
});

describe("004: lead and subagents", () => {
  test("a subagent inherits the groups of its lead, and starts no others", async () => {
    const { tools } = await startOne("general", {
      tools: [tool("search", { group: "web" }), tool("shell", { group: "host" })],
      toolGroups: ["web"],
    });
    expect(tools).toEqual(["search"]);
  });
});
