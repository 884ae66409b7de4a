import { join } from "node:path";
import { expect, test } from "vitest";
import { tempWorkspace } from "../../../test/support/temp-workspace.ts";
import type { ModelClient } from "../models/model.ts";
import { createScriptedModel, type Script } from "../models/scripted-model.ts";
import { createSession } from "../session/library.ts";
import type { AgentOption } from "../session/options/option-types.ts";
import type { SessionOptions } from "../session/options/session-options.ts";

const ECHO = join(import.meta.dirname, "../../../test/fixtures/echo-server.cjs");
const task = (agent: string, tool = "task") => ({ tool, arguments: { agent, prompt: "go", description: "d" } });
const agent = (name: string, more: Partial<AgentOption> = {}): AgentOption => ({
  name,
  description: `is ${name}`,
  prompt: `You are ${name}.`,
  ...more,
});
const CREW = ["lint", "test", "deploy"].map((name) => agent(name));

/** What each agent was offered, what calls came to, and what was asked, by the agent; "main" is the session's own. */
async function run(options: SessionOptions, script: Script) {
  const { project: workspace } = tempWorkspace({});
  const scripted = createScriptedModel(script);
  const offered = new Map<string, readonly { readonly name: string; readonly [key: string]: unknown }[]>();
  const modelClient: ModelClient = {
    ...scripted,
    stream(request, signal) {
      offered.set(request.agent ?? "main", request.payload.tools as never); // Anthropic's wire.
      return scripted.stream(request, signal);
    },
  };
  await using session = await createSession({
    workspace,
    builtins: ["execute", "edit", "read", "agents"],
    sandbox: { allowHostShell: true },
    permissions: { mode: "bypass" },
    ...options,
    modelClient,
  });
  const answers = new Map<string, string[]>();
  session.on("*", ({ type, agent: who, data }) => {
    if (type !== "tool.answers") return;
    const own = answers.get(who ?? "main") ?? [];
    answers.set(who ?? "main", [...own, ...data.answers.map(({ result }) => result.textResultForLlm)]);
  });
  await session.run("go");
  return { offered: (who: string, tool: string) => offered.get(who)?.find(({ name }) => name === tool), answers };
}

const done = Object.fromEntries(
  ["lint", "test", "deploy", "explore"].map((name) => [name, [{ text: `${name} done` }]]),
);

test.each([
  ["Agent(lint, Explore)", ["explore", "lint"]],
  ["Task(lint), Agent(explore)", ["explore", "lint"]],
  ["Agent", ["explore", "plan", "general", "deploy", "lead", "lint", "test"]],
  ["Agent(*)", ["explore", "plan", "general", "deploy", "lead", "lint", "test"]],
])("an agent with %s in its tools starts those agents and no others", async (said, expected) => {
  const tools = ["Read", ...said.split(/, (?=[AT])/)];
  const calls = ["lint", "Explore", "deploy"].map((name) => task(name));
  for (const place of ["selected", "below"] as const) {
    const lead = agent("lead", { tools });
    const own = [{ calls }, { text: "ok" }];
    const { offered, answers } = await run(
      { customAgents: [lead, ...CREW], ...(place === "selected" ? { agent: "lead" } : {}) },
      place === "selected"
        ? { replies: own, agents: done }
        : { replies: [{ calls: [task("lead")] }, { text: "led" }], agents: { ...done, lead: own } },
    );
    const who = place === "selected" ? "main" : "lead";
    const tool = offered(who, "task");
    const schema = tool?.input_schema as { properties: { agent: { enum: string[] } } } | undefined;
    expect([...(schema?.properties.agent.enum ?? [])].sort(), place).toEqual([...expected].sort());
    const described = String(tool?.description).match(/^- \w+(?=: )/gm) ?? [];
    expect(described.map((line) => line.slice(2)).sort(), place).toEqual([...expected].sort());
    const [lint, explore, deploy] = answers.get(place === "selected" ? "main" : "lead-1") ?? [];
    expect([lint, explore], place).toEqual(["lint done", "explore done"]);
    if (expected.includes("deploy")) expect(deploy, place).toBe("deploy done");
    else expect(deploy, place).toMatch(/"agent" must be one of \["explore","lint"\]/);
  }
});

test("an agent that may start only some cannot reach others through those, unless it directs them", async () => {
  const lead = { tools: ["Agent(lint)", "view"] };
  const script = {
    replies: [{ calls: [task("lint")] }, { text: "ok" }],
    agents: { ...done, lint: [{ calls: [task("deploy")] }, { text: "linted" }] },
  };
  const lint = agent("lint", { tools: ["task"] });
  const options = { customAgents: [agent("lead", lead), lint, agent("deploy")], agent: "lead" };
  expect((await run(options, script)).answers.get("lint-1")).toEqual([
    expect.stringMatching(/"agent" must be one of \["lint"\]/),
  ]);
  const directing = {
    ...options,
    customAgents: [agent("lead", { ...lead, coordinator: true }), lint, agent("deploy")],
  };
  expect((await run(directing, script)).answers.get("lint-1")).toEqual(["deploy done"]);
});

test("names that no agent has leave nothing to start, and the model reads so", async () => {
  const { offered, answers } = await run(
    { customAgents: [agent("lead", { tools: ["Agent(nobody)", "view"] })], agent: "lead" },
    { replies: [{ calls: [task("explore")] }, { text: "ok" }] },
  );
  expect(offered("main", "task")?.description).toContain("There is no agent that can be started.");
  expect(answers.get("main")).toEqual([expect.stringContaining('There is no agent "explore"')]);
});

const shell = (command: string) => ({ tool: "bash", arguments: { command, description: "d" } });

test("calls that an agent's disallowedTools name are denied for it, and the tool stays for all others", async () => {
  const disallowedTools = ["Bash(git push:*)", "Agent(deploy, Plan)", "Write"];
  const pusher = agent("pusher", { disallowedTools });
  const calls = [shell("git push origin main"), shell("echo ok"), task("deploy"), task("plan"), task("lint")];
  const below = await run(
    { customAgents: [{ ...pusher, tools: ["Bash", "Agent", "Write", "Read"] }, ...CREW] },
    {
      replies: [{ calls: [task("pusher"), shell("git push --help >/dev/null; echo main")] }, { text: "ok" }],
      agents: { ...done, pusher: [{ calls }, { text: "pushed" }] },
    },
  );
  const selected = await run(
    { customAgents: [pusher, ...CREW], agent: "pusher" },
    { replies: [{ calls }, { text: "ok" }], agents: done },
  );
  for (const answers of [below.answers.get("pusher-1"), selected.answers.get("main")]) {
    expect(answers?.[0]).toMatch(/denied.*Bash\(git push:\*\)/s);
    expect(answers?.[1]).toContain("ok");
    expect(answers?.[2]).toMatch(/denied.*Agent\(deploy, Plan\)/s);
    expect(answers?.[3]).toMatch(/denied.*Agent\(deploy, Plan\)/s);
    expect(answers?.[4]).toBe("lint done");
  }
  expect(below.answers.get("main")?.[1]).toContain("main");
  expect([below.offered("pusher", "create"), below.offered("pusher", "bash")?.name]).toEqual([undefined, "bash"]);
});

test("agents of an agent may not make its denied calls for it", async () => {
  const { answers } = await run(
    { customAgents: [agent("lead", { disallowedTools: ["Bash(git push:*)"] })], agent: "lead" },
    {
      replies: [{ calls: [task("general")] }, { text: "ok" }],
      agents: { general: [{ calls: [shell("git push")] }, { text: "done" }] },
    },
  );
  expect(answers.get("general-1")).toEqual([expect.stringMatching(/denied.*Bash\(git push:\*\)/s)]);
});

test("a whole server in disallowedTools is gone for that agent, in Claude's spelling too", async () => {
  const mcpServers = { echo: { command: process.execPath, args: [ECHO] } };
  for (const entry of ["mcp__echo__*", "mcp__echo", "mcp__echo__ech*"]) {
    const { offered } = await run(
      { mcpServers, customAgents: [agent("quiet", { disallowedTools: [entry] })] },
      { replies: [{ calls: [task("quiet")] }, { text: "ok" }], agents: { quiet: [{ text: "ok" }] } },
    );
    expect([offered("main", "echo__echo")?.name, offered("quiet", "echo__echo")], entry).toEqual([
      "echo__echo",
      undefined,
    ]);
    expect(offered("quiet", "view")?.name).toBe("view");
  }
});

test("an entry that cannot be read is a mistake, because a denial that means nothing is worse than none", async () => {
  await expect(createSession({ customAgents: [agent("a", { disallowedTools: ["Bash(git push"] })] })).rejects.toThrow(
    /disallowedTools.*Bash\(git push.*cannot be read/s,
  );
});
