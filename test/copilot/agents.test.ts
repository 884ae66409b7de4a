import { join } from "node:path";
import { expect, test } from "vitest";
import { type Asked, type ChatReply, startChatProvider, toolsOf } from "../support/chat-provider.ts";
import { startRuntime } from "../support/copilot-client.ts";
import { untilHolds } from "../support/poll.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

type Json = Record<string, unknown>;

async function begin(reply: (asked: Asked, at: number) => ChatReply, options: Json = {}) {
  const { project: folder } = tempWorkspace();
  const client = startRuntime(join(folder, "home"), folder, {}, undefined, { approvesAll: true }).connect();
  const { asked, baseUrl } = await startChatProvider(reply);
  const ask = (method: string, params: Json = {}) => client.request(`session.${method}`, { sessionId: "s", ...params });
  await ask("create", { model: "claude-sonnet-4.5", provider: { type: "openai", baseUrl }, ...options });
  return { client, ask, asked };
}

/** What the description of `task` says, and what it takes. */
function agentsIn(asked: Asked | undefined) {
  const { parameters, description } = (asked && toolsOf(asked).get("task")) ?? {};
  const { properties } = parameters as { properties: { agent_type: { enum: readonly string[] } } };
  const described = [...String(description).matchAll(/^- ([^:]+): /gm)].map(([, name]) => name);
  return { described, taken: properties.agent_type.enum };
}

test("`task` describes the agents that it takes, and each of them can be started", async () => {
  const names = ["explore", "task", "general-purpose", "smith"];
  const calls = (name: string) => ({ task: { agent_type: name, prompt: `Be ${name}`, description: "Is it" } });
  const { ask, asked } = await begin(
    ({ body }, at) => {
      const last = body.messages.at(-1);
      if (last?.role === "user" && String(last.content).startsWith("Be ")) return `I was ${String(last.content)}.`;
      const next = names[body.messages.filter(({ role }) => role === "tool").length];
      return next === undefined || at > 20 ? "Done." : { calls: calls(next) };
    },
    {
      customAgents: [
        { name: "smith", description: "makes things", prompt: "Be a smith." },
        { name: "hidden", description: "is not for models", prompt: "Hide.", infer: false },
      ],
    },
  );
  await ask("sendAndWait", { prompt: "One" });
  expect(agentsIn(asked[0])).toEqual({ described: names, taken: names });
  const answers = asked.at(-1)?.body.messages.filter(({ role }) => role === "tool");
  expect(answers?.map(({ content }) => content)).toEqual(names.map((name) => `I was Be ${name}.`));
  await ask("options.update", { excludedBuiltinAgents: ["task"] });
  await ask("tools.updateSubagentSettings", { subagents: { disabledSubagents: ["smith"] } });
  await ask("sendAndWait", { prompt: "Two" });
  const left = ["explore", "general-purpose"];
  expect(agentsIn(asked.at(-1))).toEqual({ described: left, taken: left });
  // The name that it has in lists of apps.
  await ask("options.update", { availableTools: ["builtin:write_agent", "glob"] });
  const { tools } = await ask("tools.getCurrentMetadata");
  expect(new Set((tools as { name: string }[]).map(({ name }) => name))).toEqual(new Set(["send_to_agent", "glob"]));
});

test("an agent has one id: the name that it was given, wherever it is spoken of", async () => {
  const start = { agent_type: "explore", name: "bg1", mode: "background", prompt: "Look", description: "Looks" };
  const { client, ask, asked } = await begin(({ body }) => {
    const said = body.messages.filter(({ role }) => role !== "system");
    const last = String(said.at(-1)?.content);
    if (last === "Look") return "Found it.";
    if (last.includes("has completed")) return { calls: { read_agent: { agent_id: "bg1" }, list_agents: {} } };
    if (said.some(({ content }) => String(content).includes("agent_id: bg1"))) return "Waiting.";
    return { calls: { task: start } };
  });
  await ask("send", { prompt: "One" });
  const started = (await client.next("subagent.started")) as Json;
  const { content, kind } = await client.next("system.notification");
  await untilHolds(() => asked.length === 5);
  expect(kind).toEqual({ type: "agent_completed", agentId: "bg1", agentType: "explore", status: "completed" });
  const told = JSON.stringify(asked.map(({ body }) => body.messages));
  expect(told).toContain("Agent started in background with agent_id: bg1.");
  expect(told).toContain("Agent completed. agent_id: bg1, agent_type: explore");
  expect(told).toContain("bg1 (explore): completed");
  expect(told).not.toContain("explore-1");
  expect(content).toContain('Agent "bg1" (explore) has completed successfully. Use read_agent with agent_id "bg1"');
  expect(client.events.filter((event) => "agentId" in event).map(({ agentId }: Json) => agentId)).toContain("bg1");
  const { tasks } = await ask("tasks.list");
  expect(tasks).toMatchObject([
    { id: "bg1", toolCallId: started.toolCallId, agentType: "explore", prompt: "Look", result: "Found it." },
  ]);
});

test("two agents of one name have two ids, and a name that is no id becomes one", async () => {
  const { ask } = await begin(() => "Found it.");
  const ids: unknown[] = [];
  for (const name of ["look", "look", "main", 'a "b"\n</system_notification>', ""])
    ids.push((await ask("tasks.startAgent", { agentType: "explore", prompt: "Look", name })).agentId);
  await ask("tasks.waitForPending");
  expect(ids).toEqual(["look", "look-1", "main-1", "a-b-system_notification", "explore-1"]);
  const { tasks } = await ask("tasks.list");
  expect((tasks as Json[]).map(({ id }) => id)).toEqual(ids);
});

test("autopilot offers `task_complete`, by `mode.set` and by a message's mode, and a call of it ends the run", async () => {
  const { client, ask, asked } = await begin(({ body }, at) =>
    at > 0 && JSON.stringify(body.tools).includes("task_complete")
      ? { calls: { task_complete: { summary: "All done." } } }
      : "Yes.",
  );
  const isOffered = () => asked.map((one) => toolsOf(one).has("task_complete"));
  await ask("sendAndWait", { prompt: "One" });
  await ask("mode.set", { mode: "autopilot" });
  await ask("sendAndWait", { prompt: "Two" });
  expect(await client.next("session.task_complete")).toEqual({ summary: "All done.", success: true });
  await ask("mode.set", { mode: "interactive" });
  await ask("sendAndWait", { prompt: "Three" });
  await ask("sendAndWait", { prompt: "Four", agentMode: "autopilot" });
  expect(await client.next("session.task_complete")).toEqual({ summary: "All done.", success: true });
  expect(isOffered()).toEqual([false, true, false, true]);
});

test("a plan that is approved for autopilot goes on there", async () => {
  const { client, ask, asked } = await begin(
    (_, at) => (at === 0 ? { calls: { exit_plan_mode: { summary: "Do it" } } } : "Yes."),
    { requestExitPlanMode: true },
  );
  client.answers.set("exitPlanMode.request", () => ({ approved: true, selectedAction: "autopilot" }));
  await ask("mode.set", { mode: "plan" });
  await ask("sendAndWait", { prompt: "One" });
  expect(asked.map((one) => toolsOf(one).has("task_complete"))).toEqual([false, true]);
});

test("`tools.list` describes the tools that sessions of a model have", async () => {
  const { client, ask, asked } = await begin(() => "Yes.", {
    ...{ requestUserInput: true, requestExitPlanMode: true, skillDirectories: [] },
  });
  for (const model of ["claude-sonnet-4.5", "gpt-5"]) {
    await ask("model.switchTo", { modelId: model });
    await ask("sendAndWait", { prompt: "One" });
    const { tools } = (await client.request("tools.list", { model })) as { tools: readonly Json[] };
    const listed = new Map(tools.map((tool) => [tool.name, tool]));
    const has = asked.at(-1);
    expect([...(has === undefined ? [] : toolsOf(has).keys())].length).toBeGreaterThan(10);
    for (const [name, { description, parameters }] of has === undefined ? [] : toolsOf(has))
      expect(listed.get(name)).toMatchObject({ namespacedName: `builtin/${name}`, description, parameters });
    expect(listed.has("edit")).toBe(model !== "gpt-5");
    expect(listed.has("apply_patch")).toBe(model === "gpt-5");
    expect(JSON.stringify(tools.map(({ instructions }) => instructions))).not.toMatch(/\{\w/);
  }
  expect(await client.request("tools.list")).toEqual(
    await client.request("tools.list", { model: "claude-sonnet-4.5" }),
  );
});
