import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startRuntime } from "../support/copilot-client.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

async function begin(replies: readonly object[], agents: object = {}) {
  const { project: folder } = tempWorkspace();
  const script = join(folder, "script.json");
  await writeFile(script, JSON.stringify({ replies, agents }));
  const client = startRuntime(join(folder, "home"), folder).connect();
  await client.request("session.create", { sessionId: "s", model: `scripted:${script}` });
  const ask = (method: string, params: Record<string, unknown> = {}) =>
    client.request(`session.tasks.${method}`, { sessionId: "s", ...params });
  return { client, ask, folder };
}

test("a task that a client starts is listed until it is removed, with what became of it", async () => {
  const { client, ask } = await begin([{ text: "Noted." }], { explore: [{ text: "Found it." }] });
  expect(await ask("list")).toEqual({ tasks: [] });
  const started = await ask("startAgent", { agentType: "explore", prompt: "Look", name: "look", description: "Looks" });
  expect(started).toEqual({ agentId: "look" });
  await ask("waitForPending");
  const about = { type: "agent", id: "look", agentType: "explore", prompt: "Look", description: "Looks" };
  expect((await ask("list")).tasks).toMatchObject([{ ...about, status: "completed", result: "Found it." }]);
  expect((await ask("getProgress", { id: "look" })).progress).toEqual({ type: "agent", recentActivity: [] });
  const notice = await client.next("system.notification");
  expect(notice.content).toContain('Agent "look" (explore) has completed successfully.');
  await client.next("session.idle");
  expect(await ask("remove", { id: "look" })).toEqual({ removed: true });
  expect(await ask("remove", { id: "look" })).toEqual({ removed: false });
  expect(await ask("list")).toEqual({ tasks: [] });
});

test("a task that names a model is asked with that one, also after the session's was changed", async () => {
  const { client, ask, folder } = await begin([{ text: "Noted." }]);
  const other = join(folder, "other.json");
  await writeFile(other, JSON.stringify({ replies: [], agents: { explore: [{ text: "Found by another." }] } }));
  await client.request("session.model.switchTo", {
    sessionId: "s",
    modelId: `scripted:${join(folder, "script.json")}`,
  });
  await ask("startAgent", { agentType: "explore", prompt: "Look", name: "look", model: `scripted:${other}` });
  await ask("waitForPending");
  expect((await ask("list")).tasks).toMatchObject([{ status: "completed", result: "Found by another." }]);
});

test("a task of an unknown kind or model does not start, and nobody is stopped or written to who does not work", async () => {
  const { ask } = await begin([]);
  const wanted = { prompt: "Look", name: "look" };
  await expect(ask("startAgent", { ...wanted, agentType: "nobody" })).rejects.toThrow("Unknown agent type: nobody");
  await expect(ask("startAgent", { ...wanted, agentType: "explore", model: "other" })).rejects.toThrow(
    "Model not available: other",
  );
  expect(await ask("list")).toEqual({ tasks: [] });
  expect(await ask("cancel", { id: "look" })).toEqual({ cancelled: false });
  expect(await ask("sendMessage", { id: "look", message: "hello" })).toMatchObject({ sent: false });
  expect(await ask("getProgress", { id: "look" })).toEqual({ progress: null });
});
