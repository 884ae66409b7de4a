import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answerAll, startRuntime } from "../support/copilot-client.ts";
import { EVENT_FIELDS } from "../support/copilot-event-fields.ts";
import { offencesOf } from "../support/copilot-events.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

const ECHO = join(import.meta.dirname, "../fixtures/echo-server.cjs");
const TOOL = { name: "pay", description: "Pays", parameters: { type: "object", properties: {} } };
const call = (tool: string, args = {}) => ({ calls: [{ tool, arguments: args }] });

test("no event of a session that does all kinds of things is lost to a strict client", async () => {
  const { project } = tempWorkspace({
    "skills/greet/SKILL.md": "---\nname: greet\ndescription: Greets\n---\nHi.\n",
    "note.txt": "old\n",
  });
  const task = { agent_type: "helper", name: "h", description: "Help", prompt: "Help", mode: "background" };
  const replies = [
    { calls: [...call("pay").calls, ...call("echo-echo", { text: "hi" }).calls, ...call("missing").calls] },
    call("bash", { command: "echo hi > out.txt; curl http://127.0.0.1:1/", description: "Say" }),
    {
      calls: [...call("view", { path: "note.txt" }).calls, ...call("create", { path: "a.txt", file_text: "a" }).calls],
    },
    { calls: [...call("skill", { skill: "greet" }).calls, ...call("ask_user", { question: "Sure?" }).calls] },
    { ...call("task", task), thinking: "Hm" },
    { text: "Done." },
    { text: "The helper is done." },
    call("task_complete", { summary: "Done." }),
    { error: { status: 400, message: "no" } },
    { text: "A summary." },
    call("pay"),
  ];
  const script = join(project, "script.json");
  await writeFile(script, JSON.stringify({ replies, agents: { helper: [{ text: "I help" }] } }));
  const client = startRuntime(join(project, "home"), project).connect();
  client.answers.set("hooks.invoke", () => ({}));
  client.answers.set("userInput.request", () => ({ answer: "Yes", wasFreeform: true }));
  await client.request("session.create", {
    ...{ sessionId: "s", model: `scripted:${script}`, tools: [TOOL], hooks: true, streaming: true },
    ...{ requestUserInput: true, requestElicitation: true, requestPermission: true, excludedTools: ["nothing"] },
    mcpServers: { echo: { command: process.execPath, args: [ECHO] } },
    skillDirectories: [join(project, "skills")],
    customAgents: [{ name: "helper", description: "Helps", prompt: "Help." }],
    commands: [{ name: "deploy", description: "Deploys" }],
  });
  const stop = answerAll(client, "s");
  const ask = (method: string, params = {}) => client.request(`session.${method}`, { sessionId: "s", ...params });
  await ask("send", { prompt: "Go" });
  await client.next("session.idle");
  await ask("send", { prompt: "End", agentMode: "autopilot" });
  await client.next("session.idle");
  await ask("send", { prompt: "Fail" });
  await client.next("session.error");
  await client.next("session.idle");
  await ask("mode.set", { mode: "plan" });
  await ask("mode.set", { mode: "interactive" });
  await ask("plan.update", { content: "One" });
  await ask("plan.delete");
  await ask("name.set", { name: "Mine" });
  await ask("model.switchTo", { modelId: `scripted:${script}` });
  await ask("agent.select", { name: "helper" });
  await ask("agent.deselect");
  await ask("workspaces.createFile", { path: "f.txt", content: "f" });
  for (const level of ["info", "warning", "error"]) await ask("log", { message: "Said", level });
  await ask("ui.elicitation", { message: "Who?", requestedSchema: { type: "object", properties: {} } });
  await ask("commands.execute", { commandName: "deploy", args: "now" });
  await ask("shell.executeUserRequested", { requestId: "r", command: "echo hi" });
  await ask("metadata.recordContextChange", { context: { cwd: project } });
  await ask("permissions.setMode", { mode: "allow-all" });
  await ask("history.compact").catch(() => {});
  stop();
  await ask("send", { prompt: "Stop" });
  await expect.poll(() => client.events.at(-1)?.type, { timeout: 60_000 }).toBe("external_tool.requested");
  await ask("abort");
  await client.next("abort");
  await client.request("session.resume", { sessionId: "s", commands: [{ name: "deploy", description: "Deploys" }] });
  await ask("shutdown", { type: "routine" });
  await client.next("session.shutdown");
  const heard = new Set(client.events.map(({ type }) => type));
  const never = Object.keys(EVENT_FIELDS).filter((type) => !heard.has(type));
  // What takes another client, a login, a limit or a restart to hear.
  expect(never.sort()).toEqual(ELSEWHERE);
}, 240_000);

const ELSEWHERE = [
  ...["auto_mode_switch.completed", "auto_mode_switch.requested", "command.queued"],
  ...["exit_plan_mode.completed", "exit_plan_mode.requested", "mcp.oauth_completed", "mcp.oauth_required"],
  ...["session.remote_steerable_changed", "session.snapshot_rewind", "session.todos_changed", "subagent.failed"],
  "tool.execution_progress",
];

test("an event without what a strict client needs is found out", () => {
  const id = "00000000-0000-4000-8000-000000000000";
  const event = { id, parentId: null, timestamp: new Date(0).toISOString(), type: "session.start", data: {} };
  expect(offencesOf(event)).toContain("session.start: data.sessionId is undefined, not text");
  expect(offencesOf({ ...event, type: "session.unheard_of" })).toEqual([
    "session.unheard_of: it has no row in EVENT_FIELDS",
  ]);
});

test("every event that the source names has a row", async () => {
  const folder = join(import.meta.dirname, "../../src/surfaces/copilot");
  const files = (await readdir(folder, { recursive: true })).filter((file) => /(?<!\.test)\.ts$/.test(file));
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  const named = texts.flatMap((text) =>
    [...text.matchAll(/\b(?:emit|emitPassing|stored|passing)\((?:[\w.]+,\s*)?"([\w.]+)"/g)].map(([, type]) =>
      String(type),
    ),
  );
  expect(new Set(named).size).toBeGreaterThan(50);
  expect(named.filter((type) => !Object.hasOwn(EVENT_FIELDS, type))).toEqual([]);
});
