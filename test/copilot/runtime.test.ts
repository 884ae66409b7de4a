import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startRuntime } from "../support/copilot-client.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

const WEATHER = {
  name: "get_weather",
  description: "The weather of a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

async function begin(replies: readonly object[]) {
  const { project: folder } = tempWorkspace();
  const script = join(folder, "script.json");
  await writeFile(script, JSON.stringify({ replies }));
  return { folder, model: `scripted:${script}`, runtime: startRuntime(join(folder, "home"), folder) };
}

const CALL = { calls: [{ tool: "get_weather", arguments: { city: "Paris" } }] };

test("a client's tool runs with the arguments that its hook changed, once its permission handler allowed it", async () => {
  const { model, runtime } = await begin([CALL, { text: "Sunny." }]);
  const client = runtime.connect();
  client.answers.set("hooks.invoke", ({ hookType }) =>
    hookType === "preToolUse" ? { output: { modifiedArgs: { city: "Lyon" } } } : {},
  );
  expect(await client.request("connect", {})).toMatchObject({ ok: true, protocolVersion: 3 });
  const created = await client.request("session.create", { sessionId: "s1", model, tools: [WEATHER], hooks: true });
  expect(created).toMatchObject({ sessionId: "s1" });
  const { messageId } = await client.request("session.send", { sessionId: "s1", prompt: "Weather?" });
  const asked = await client.next("permission.requested");
  expect(asked.permissionRequest).toMatchObject({
    kind: "custom-tool",
    toolName: "get_weather",
    args: { city: "Lyon" },
  });
  await client.request("session.permissions.handlePendingPermissionRequest", {
    sessionId: "s1",
    requestId: asked.requestId,
    result: { kind: "approve-once" },
  });
  const called = await client.next("external_tool.requested");
  expect(called).toMatchObject({ toolName: "get_weather", arguments: { city: "Lyon" } });
  const answered = { sessionId: "s1", requestId: called.requestId, result: { t: 20 } };
  expect(await client.request("session.tools.handlePendingToolCall", answered)).toEqual({ success: true });
  expect(await client.request("session.tools.handlePendingToolCall", answered)).toEqual({ success: false });
  await client.next("session.idle");
  const types = client.events.map(({ type }) => type);
  expect(types.at(-1)).toBe("session.idle");
  expect(client.events.find(({ type }) => type === "user.message")?.data).toMatchObject({
    content: "Weather?",
    messageId,
  });
  expect(client.events.findLast(({ type }) => type === "assistant.message")?.data).toMatchObject({ content: "Sunny." });
});

test("a call that the user rejects ends the turn, and the model is not asked again", async () => {
  const { model, runtime } = await begin([CALL]);
  const client = runtime.connect();
  await client.request("session.create", { sessionId: "s1", model, tools: [WEATHER] });
  await client.request("session.send", { sessionId: "s1", prompt: "Weather?" });
  const { requestId } = await client.next("permission.requested");
  await client.request("session.permissions.handlePendingPermissionRequest", {
    sessionId: "s1",
    requestId,
    result: { kind: "reject" },
  });
  await client.next("session.idle");
  expect(client.events.find(({ type }) => type === "tool.execution_complete")?.data).toMatchObject({
    success: false,
    error: { message: "The user rejected this tool call." },
  });
  expect(client.events.some(({ type }) => type === "session.error")).toBe(false);
});

test("a session goes on in another process, and is gone once it is deleted", async () => {
  const { folder, model, runtime } = await begin([{ text: "One." }]);
  const first = runtime.connect();
  await first.request("session.create", { sessionId: "s1", model });
  await first.request("session.send", { sessionId: "s1", prompt: "Say one" });
  await first.next("session.idle");
  const said = (await first.request("session.getMessages", { sessionId: "s1" })).events as { type: string }[];
  await runtime.server.close();
  const second = startRuntime(join(folder, "home"), folder).connect();
  expect((await second.request("session.list")).sessions).toMatchObject([{ sessionId: "s1", summary: "Say one" }]);
  await second.request("session.resume", { sessionId: "s1", model });
  const again = (await second.request("session.getMessages", { sessionId: "s1" })).events as { type: string }[];
  expect(again.slice(0, said.length)).toEqual(said);
  expect(again.map(({ type }) => type)).toContain("session.resume");
  expect(await second.request("session.delete", { sessionId: "s1" })).toEqual({ success: true });
  expect((await second.request("session.list")).sessions).toEqual([]);
  await expect(second.request("session.resume", { sessionId: "s1" })).rejects.toThrow("Session not found: s1");
});

test("a runtime whose home was emptied meanwhile keeps its next sessions where others find them", async () => {
  const { folder, model, runtime } = await begin([{ text: "One." }, { text: "Two." }]);
  const home = join(folder, "home");
  const first = runtime.connect();
  await first.request("session.create", { sessionId: "s1", model });
  await first.request("session.sendAndWait", { sessionId: "s1", prompt: "Say one" });
  await rm(home, { recursive: true });
  await first.request("session.create", { sessionId: "s2", model });
  await first.request("session.sendAndWait", { sessionId: "s2", prompt: "Say two" });
  const second = startRuntime(home, folder).connect();
  expect((await second.request("session.list")).sessions).toMatchObject([{ sessionId: "s2" }]);
});

test("a runtime that was shut down answers all that was and is asked of it, and ends when its last client is gone", async () => {
  const { model, runtime } = await begin([CALL]);
  const client = runtime.connect();
  await client.request("session.create", { sessionId: "s1", model, tools: [{ ...WEATHER, skipPermission: true }] });
  const open = client.request("session.sendAndWait", { sessionId: "s1", prompt: "Weather?" }).catch(() => "refused");
  await client.next("external_tool.requested");
  expect(await client.request("runtime.shutdown")).toEqual({});
  await open;
  await expect(client.request("user.settings.reload")).rejects.toThrow("the runtime was shut down");
  expect(await client.request("runtime.shutdown")).toEqual({});
  client.close();
  await runtime.server.ended;
});
