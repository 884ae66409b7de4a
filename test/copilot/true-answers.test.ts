import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { trustWorkspace } from "../../src/config/load-config.ts";
import { startRuntime } from "../support/copilot-client.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

const TOOL = { name: "finish", description: "Ends the work", isTerminal: true, skipPermission: true };

async function begin(replies: readonly unknown[]) {
  const { project } = tempWorkspace();
  const script = join(project, "script.json");
  await writeFile(script, JSON.stringify({ replies }));
  const runtime = startRuntime(join(project, "home"), project);
  const client = runtime.connect();
  const model = `scripted:${script}`;
  const ask = (method: string, params: Record<string, unknown> = {}) =>
    client.request(`session.${method}`, { sessionId: "s", ...params });
  return { project, runtime, client, model, ask };
}

async function writeSkill(folder: string, name: string, text: string): Promise<void> {
  await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, name, "SKILL.md"), text);
}

test("servers, plugins, skills and their problems are listed as files say", async () => {
  const { project, client, model, ask } = await begin([]);
  await writeFile(join(project, "toolcrib.yaml"), "mcpServers:\n  found:\n    command: nothing\n");
  const discover = () => client.request("mcp.discover", { workingDirectory: project });
  expect(await discover()).toEqual({ servers: [] });
  await trustWorkspace({ cwd: project, home: join(project, "home"), env: {} });
  expect(await discover()).toMatchObject({
    servers: [{ name: "found", type: "stdio", source: "workspace", enabled: true }],
  });
  const plugin = join(project, "plugin");
  await mkdir(plugin);
  await writeFile(join(plugin, "plugin.json"), JSON.stringify({ name: "helper", version: "1.2.3" }));
  const skills = join(project, "skills");
  await writeSkill(skills, "greet", "---\nname: greet\ndescription: Greets people\n---\nSay hello.\n");
  await writeSkill(skills, "broken", "no front matter");
  await client.request("session.create", {
    ...{ sessionId: "s", model, pluginDirectories: [plugin], skillDirectories: [skills] },
    commands: [{ name: "deploy", description: "Deploys" }],
  });
  expect(await ask("plugins.list")).toEqual({
    plugins: [{ name: "helper", marketplace: "", version: "1.2.3", enabled: true }],
  });
  const { errors } = (await ask("skills.reload")) as { errors: string[] };
  expect(errors.join()).toContain("broken");
  const { commands } = (await ask("commands.list", { includeBuiltins: false })) as { commands: { name: string }[] };
  expect(commands.map(({ name }) => name)).toEqual(["deploy", "greet"]);
  expect(await ask("commands.invoke", { name: "/greet", input: "Ada" })).toMatchObject({
    kind: "agent-prompt",
    prompt: 'Use the skill "greet".\n\nAda',
  });
  await ask("skills.disable", { name: "greet" });
  expect(await ask("commands.list", { includeBuiltins: false, includeClientCommands: false })).toEqual({
    commands: [],
  });
});

test("every built-in command that is listed can be invoked, and context says what fills it", async () => {
  const { client, model, ask } = await begin(["Yes."]);
  await client.request("session.create", { sessionId: "s", model });
  await ask("sendAndWait", { prompt: "Hello" });
  const { commands } = (await ask("commands.list")) as { commands: { name: string; kind: string }[] };
  const names = commands.flatMap(({ name, kind }) => (kind === "builtin" ? [name] : []));
  expect(names).toEqual(["help", "model", "compact", "context"]);
  for (const name of names)
    expect(await ask("commands.invoke", { name })).toEqual({ kind: "text", text: expect.stringMatching(/\S/) });
  const { contextInfo } = (await ask("metadata.contextInfo")) as { contextInfo: { totalTokens: number } };
  expect(await ask("commands.invoke", { name: "context" })).toMatchObject({
    text: expect.stringContaining(`about ${contextInfo.totalTokens} of `),
  });
});

test("a hand-over, a compaction that is ended, sizes, messages that wait and ids of notes are what they say", async () => {
  const call = { calls: [{ tool: "look", arguments: {} }] };
  const { project, client, runtime, model, ask } = await begin([call, "Seen.", "# Hand-over", "A summary"]);
  // A summary of a script is there at once; so a compaction begins late, and there is something to end.
  await writeFile(join(project, "toolcrib.yaml"), "hooks:\n  preCompact:\n    - command: sleep 2\n");
  await trustWorkspace({ cwd: project, home: join(project, "home"), env: {} });
  await client.request("session.create", { sessionId: "s", model, tools: [{ name: "look", skipPermission: true }] });
  expect(await ask("history.summarizeForHandoff")).toEqual({ summary: "" });
  await ask("send", { prompt: "Look" });
  const { requestId } = await client.next("external_tool.requested");
  await ask("send", { prompt: "And hurry", mode: "immediate" });
  await expect.poll(() => ask("queue.pendingItems")).toMatchObject({ steeringMessages: ["And hurry"] });
  await ask("tools.handlePendingToolCall", { requestId, result: "x" });
  await client.next("session.idle");
  expect(await ask("queue.pendingItems")).toMatchObject({ steeringMessages: [] });
  expect(await ask("history.summarizeForHandoff")).toEqual({ summary: "# Hand-over" });
  expect(await ask("history.abortManualCompaction")).toEqual({ aborted: false });
  const [compacted, aborted] = await Promise.all([ask("history.compact"), ask("history.abortManualCompaction")]);
  expect([compacted.success, aborted.aborted]).toEqual([false, true]);
  const { eventId } = await ask("log", { message: "Here" });
  expect(client.events.find(({ id }) => id === eventId)?.data.message).toBe("Here");
  const { sizes } = (await client.request("sessions.getSizes")) as { sizes: Record<string, number> };
  expect(sizes.s).toBeGreaterThan(1_000);
  expect(runtime.notes).toEqual([]);
});

test("a terminal tool ends the turn, a denied or unwanted question is none, and agents that are off are not offered", async () => {
  const finish = { calls: [{ tool: "finish", arguments: {} }] };
  const look = { calls: [{ tool: "look", arguments: {} }] };
  const { client, runtime, model, ask } = await begin([finish, look, "Denied.", look, "Allowed."]);
  await client.request("session.create", { sessionId: "s", model, tools: [TOOL, { name: "look" }] });
  await ask("send", { prompt: "End" });
  const { requestId } = await client.next("external_tool.requested");
  await ask("tools.handlePendingToolCall", { requestId, result: "done" });
  await client.next("session.idle");
  expect(client.events.filter(({ type }) => type === "assistant.message")).toHaveLength(1);

  const rule = { kind: "custom-tool", toolName: "look" };
  await ask("permissions.configure", { rules: { approved: [], denied: [rule] } });
  await ask("permissions.setApproveAll", { enabled: true });
  await ask("send", { prompt: "Look" });
  await client.next("session.idle");
  expect(client.events.findLast(({ type }) => type === "tool.execution_complete")?.data).toMatchObject({
    success: false,
  });
  await ask("permissions.configure", { rules: { approved: [], denied: [] }, approveAllToolPermissionRequests: false });

  const other = runtime.connect();
  await other.request("session.resume", { sessionId: "s" });
  await ask("permissions.setRequired", { required: false });
  await ask("send", { prompt: "Look" });
  const asked = await other.next("permission.requested");
  const result = { kind: "approve-once" };
  await other.request("session.permissions.handlePendingPermissionRequest", { sessionId: "s", ...asked, result });
  const again = await client.next("external_tool.requested");
  await ask("tools.handlePendingToolCall", { requestId: again.requestId, result: "x" });
  await client.next("session.idle");
  expect(client.events.some(({ type }) => type === "permission.requested")).toBe(false);

  await ask("tools.updateSubagentSettings", { subagents: { disabledSubagents: ["explore"] } });
  await expect(ask("tasks.startAgent", { agentType: "explore", prompt: "Look" })).rejects.toThrow("Unknown agent type");
});

test("what a company manages denies and asks whatever the app approves, and a rule that nobody can read opens no session", async () => {
  const look = { calls: [{ tool: "look", arguments: {} }] };
  const pay = { calls: [{ tool: "pay", arguments: {} }] };
  const { client, model, ask } = await begin([look, "Denied.", pay, "Paid."]);
  const permissions = {
    deny: ["custom-tool(look)"],
    ask: ["custom-tool(pay)"],
    disableBypassPermissionsMode: "disable",
  };
  const create = (managedSettings: object) =>
    client.request("session.create", {
      ...{ sessionId: "s", model, tools: [{ name: "look" }, { name: "pay" }], managedSettings },
    });
  await expect(create({ permissions: { deny: ["shell(rm -rf)"] } })).rejects.toThrow("shell(rm -rf)");
  await create({ permissions });
  await ask("permissions.setApproveAll", { enabled: true });
  await ask("send", { prompt: "Look" });
  await client.next("session.idle");
  const ends = () => client.events.filter(({ type }) => type === "tool.execution_complete");
  expect(ends().map(({ data }) => data.success)).toEqual([false]);
  await ask("send", { prompt: "Pay" });
  const { requestId } = await client.next("permission.requested");
  const result = { kind: "reject" };
  await ask("permissions.handlePendingPermissionRequest", { requestId, result });
  await client.next("session.idle");
  expect(ends().map(({ data }) => data.success)).toEqual([false, false]);
});
