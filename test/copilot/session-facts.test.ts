import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startRuntime } from "../support/copilot-client.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

async function begin(replies: readonly object[]) {
  const { project: folder } = tempWorkspace();
  const script = join(folder, "script.json");
  await writeFile(script, JSON.stringify({ replies }));
  return { folder, model: `scripted:${script}`, runtime: startRuntime(join(folder, "home"), folder) };
}

const SUMMARY = "<overview>All</overview>\n<checkpoint_title>The first part</checkpoint_title>";

test("a conversation over its threshold becomes a checkpoint from the second prompt on, and both are told as they are", async () => {
  const { folder, model, runtime } = await begin([{ text: "One." }, { text: SUMMARY }, { text: "Two." }]);
  const client = runtime.connect();
  const infiniteSessions = { enabled: true, backgroundCompactionThreshold: 0.0001 };
  await client.request("session.create", { sessionId: "s", model, infiniteSessions });
  const ask = (method: string, params = {}) => client.request(`session.${method}`, { sessionId: "s", ...params });
  expect(await ask("workspaces.listCheckpoints")).toEqual({ checkpoints: [] });
  expect(await ask("metadata.getContextAttribution")).toEqual({ contextAttribution: null });
  await ask("sendAndWait", { prompt: "Say one" });
  expect(client.events.some(({ type }) => type === "session.compaction_start")).toBe(false);
  await ask("sendAndWait", { prompt: "Say two" });
  const done = client.events.find(({ type }) => type === "session.compaction_complete");
  expect(done?.data).toMatchObject({ success: true, checkpointNumber: 1 });
  expect(done?.data.summaryContent).toContain("<user_message>\nSay two\n</user_message>");
  const checkpoints = [{ number: 1, title: "The first part", filename: "001-the-first-part.md" }];
  expect(await ask("workspaces.listCheckpoints")).toEqual({ checkpoints });
  expect((await ask("workspaces.readCheckpoint", { number: 1 })).content).toContain(SUMMARY);
  expect(await ask("workspaces.readCheckpoint", { number: 2 })).toEqual({ content: null });
  const { totalTokens, messages } = await ask("metadata.getContextHeaviestMessages", { limit: 1 });
  expect(messages).toMatchObject([{ role: "user" }]);
  const { contextAttribution } = await ask("metadata.getContextAttribution");
  expect(contextAttribution).toMatchObject({
    totalTokens,
    modelId: model,
    modelSource: "selected",
    compactions: { count: 1 },
  });
  expect((await ask("usage.getMetrics")).totalUserRequests).toBe(2);
  await ask("shutdown", { type: "routine" });
  expect(await client.next("session.shutdown")).toMatchObject({
    shutdownType: "routine",
    sessionStartTime: expect.any(Number),
    codeChanges: { linesAdded: 0, linesRemoved: 0, filesModified: [] },
  });
  const file = join(folder, "home", "session-state", "s", "checkpoints", "index.md");
  expect(await readFile(file, "utf8")).toContain("1. [The first part](001-the-first-part.md)");
});

const TOOL = { name: "look", description: "Looks", parameters: { type: "object" }, skipPermission: true };

test("a call that nobody answered is interrupted when a session is taken up without going on, and no client hears of it", async () => {
  const { folder, model, runtime } = await begin([{ calls: [{ tool: "look", arguments: {} }] }]);
  const { model: other } = await begin([{ text: "Well." }]);
  const first = runtime.connect();
  await first.request("session.create", { sessionId: "s", model, tools: [TOOL] });
  await first.request("session.send", { sessionId: "s", prompt: "Look" });
  const { requestId } = await first.next("external_tool.requested");
  await runtime.server.close();
  const second = startRuntime(join(folder, "home"), folder).connect();
  await second.request("session.resume", { sessionId: "s", model: other, tools: [TOOL], continuePendingWork: false });
  const answer = { sessionId: "s", requestId, result: "late" };
  expect(await second.request("session.tools.handlePendingToolCall", answer)).toEqual({ success: false });
  const { events } = await second.request("session.getMessages", { sessionId: "s" });
  const ends = (events as typeof second.events).filter(({ type }) => type === "tool.execution_complete");
  expect(ends).toMatchObject([
    { data: { success: false, error: { message: "The execution of this tool, or a previous tool was interrupted." } } },
  ]);
  await second.request("session.sendAndWait", { sessionId: "s", prompt: "Well?" });
  expect(second.events.some(({ type }) => type === "external_tool.requested")).toBe(false);
});

test("what files of instructions and agents say is listed as it is, and the time that models took is counted", async () => {
  const { folder, model, runtime } = await begin([{ text: "One." }]);
  await writeFile(join(folder, "AGENTS.md"), "Write in verse.\n");
  await mkdir(join(folder, ".github", "agents"), { recursive: true });
  const agent = join(folder, ".github", "agents", "poet.md");
  await writeFile(agent, "---\nname: poet\ntools: [view]\n---\nYou rhyme.\n");
  const client = runtime.connect();
  await client.request("session.create", { sessionId: "s", model, workingDirectory: folder });
  const ask = (method: string) => client.request(`session.${method}`, { sessionId: "s" });
  const file = { label: "AGENTS.md", sourcePath: join(folder, "AGENTS.md"), type: "repo", location: "repository" };
  const sources = [{ ...file, content: expect.stringContaining("Write in verse.") }];
  expect(await ask("instructions.getSources")).toMatchObject({ sources });
  const paths = { projectPaths: [folder] };
  expect(await client.request("instructions.discover", paths)).toMatchObject({ sources });
  const agents = [{ id: "poet", name: "poet", path: agent, source: "project", tools: ["view"] }];
  expect(await client.request("agents.discover", { ...paths, excludeHostAgents: true })).toMatchObject({ agents });
  expect(await ask("usage.getMetrics")).toMatchObject({ totalApiDurationMs: 0 });
  await client.request("session.sendAndWait", { sessionId: "s", prompt: "Say one" });
  const { totalApiDurationMs } = await ask("usage.getMetrics");
  expect(totalApiDurationMs).toBeGreaterThan(0);
  const { contextAttribution } = await ask("metadata.getContextAttribution");
  expect((contextAttribution as { categories: object }).categories).toMatchObject({
    customInstructions: expect.toSatisfy((tokens) => Number(tokens) > 0),
  });
});
