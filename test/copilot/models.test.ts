import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Asked, type ChatReply, startChatProvider, systemOf, toolsOf } from "../support/chat-provider.ts";
import { startRuntime } from "../support/copilot-client.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

type Json = Record<string, unknown>;

async function begin(reply: (asked: Asked, at: number) => ChatReply = () => "Yes.") {
  const { project: folder } = tempWorkspace();
  const client = startRuntime(join(folder, "home"), folder, {}, undefined, { approvesAll: true }).connect();
  const provider = await startChatProvider(reply);
  const ask = (method: string, params: Json = {}) => client.request(`session.${method}`, { sessionId: "s", ...params });
  return { client, ask, folder, ...provider };
}

function editorsIn(asked: Asked | undefined): readonly string[] {
  return ["create", "edit", "apply_patch"].filter((name) => asked !== undefined && toolsOf(asked).has(name));
}

test("tools are those of the model, also once another one is chosen, and of the model that a registered one is", async () => {
  const { ask, asked, baseUrl } = await begin();
  await ask("create", { model: "gpt-5", provider: { type: "openai", baseUrl } });
  await ask("sendAndWait", { prompt: "One" });
  await ask("model.switchTo", { modelId: "claude-sonnet-4.5" });
  await ask("sendAndWait", { prompt: "Two" });
  await ask("provider.add", {
    providers: [{ name: "own", type: "openai", baseUrl }],
    models: [
      { provider: "own", id: "best", modelId: "gpt-5", wireModel: "best-2" },
      { provider: "own", id: "next", modelId: "gpt-5" },
    ],
  });
  await ask("options.update", { provider: null });
  await ask("model.switchTo", { modelId: "own/best" });
  await ask("sendAndWait", { prompt: "Three" });
  await ask("model.switchTo", { modelId: "own/next" });
  await ask("sendAndWait", { prompt: "Four" });
  expect(asked.map(({ body }) => body.model)).toEqual(["gpt-5", "claude-sonnet-4.5", "best-2", "next"]);
  expect(asked.map(editorsIn)).toEqual([
    ["create", "apply_patch"],
    ["create", "edit"],
    ["create", "apply_patch"],
    ["create", "apply_patch"],
  ]);
});

test("an agent is asked with its own model and has that model's tools, as the session and for it", async () => {
  const { ask, asked, baseUrl } = await begin(({ body }, at) =>
    at === 0 ? { calls: { task: { agent_type: "smith", prompt: "Make it", description: "Makes it" } } } : body.model,
  );
  const customAgents = [{ name: "smith", description: "makes things", prompt: "Be a smith.", model: "gpt-5" }];
  await ask("create", { model: "claude-sonnet-4.5", provider: { type: "openai", baseUrl }, customAgents });
  await ask("sendAndWait", { prompt: "One" });
  expect(asked.map(({ body }) => body.model)).toEqual(["claude-sonnet-4.5", "gpt-5", "claude-sonnet-4.5"]);
  expect(editorsIn(asked[1])).toEqual(["create", "apply_patch"]);
  await ask("agent.select", { name: "smith" });
  await ask("sendAndWait", { prompt: "Two" });
  expect(asked[3]?.body.model).toBe("gpt-5");
  expect(editorsIn(asked[3])).toEqual(["create", "apply_patch"]);
  expect(asked[3] && systemOf(asked[3]).split("Be a smith.")).toHaveLength(2);
  await ask("mode.set", { mode: "interactive" });
  await ask("sendAndWait", { prompt: "Three" });
  await ask("model.switchTo", { modelId: "claude-haiku-4.5" });
  await ask("sendAndWait", { prompt: "Four" });
  await ask("mode.set", { mode: "interactive" });
  await ask("sendAndWait", { prompt: "Five" });
  await ask("agent.deselect");
  await ask("model.switchTo", { modelId: "claude-sonnet-4.5" });
  await ask("sendAndWait", { prompt: "Six" });
  expect(asked.slice(4).map(({ body }) => body.model)).toEqual([
    ...["gpt-5", "claude-haiku-4.5", "claude-haiku-4.5", "claude-sonnet-4.5"],
  ]);
});

test("a model that the settings of subagents name is asked", async () => {
  const { ask, asked, baseUrl } = await begin(({ body }, at) =>
    at === 0
      ? { calls: { task: { agent_type: "smith", prompt: "Make it", description: "Makes it" } } }
      : `I am ${body.model}.`,
  );
  const customAgents = [{ name: "smith", description: "makes things", prompt: "Be a smith." }];
  await ask("create", { model: "claude-sonnet-4.5", provider: { type: "openai", baseUrl }, customAgents });
  await ask("tools.updateSubagentSettings", { subagents: { agents: { smith: { model: "gpt-5-mini" } } } });
  await ask("sendAndWait", { prompt: "One" });
  expect(asked[1]?.body.model).toBe("gpt-5-mini");
  expect(JSON.stringify(asked[2]?.body.messages)).toContain("I am gpt-5-mini.");
});

test("the session's own model stands in for one of an agent that cannot be asked, and the app hears of it", async () => {
  const { ask, client, asked, baseUrl } = await begin((_, at) =>
    at === 0 ? { calls: { task: { agent_type: "smith", prompt: "Make it", description: "Makes it" } } } : "Made.",
  );
  await ask("create", {
    ...{ model: "own/best", providers: [{ name: "own", type: "openai", baseUrl }] },
    models: [{ provider: "own", id: "best" }],
    customAgents: [{ name: "smith", description: "makes things", prompt: "Be a smith.", model: "nosuch" }],
  });
  await ask("sendAndWait", { prompt: "One" });
  expect(asked.map(({ body }) => body.model)).toEqual(["best", "best", "best"]);
  const warnings = client.events.flatMap(({ type, data }) => (type === "session.warning" ? [data.message] : []));
  expect(warnings).toEqual([expect.stringContaining("the model nosuch of an agent cannot be asked, and own/best is")]);
});

test("an error of a model names the provider and its address", async () => {
  const { ask, client, host, baseUrl } = await begin(() => ({ status: 401 }));
  await ask("create", { model: "m", provider: { type: "openai", baseUrl, apiKey: "k" } });
  await expect(ask("sendAndWait", { prompt: "One" })).rejects.toThrow(
    `provider openai at ${host} answered 401: no such key`,
  );
  await client.next("session.idle");
  await ask("provider.add", {
    providers: [{ name: "own", type: "anthropic", baseUrl: "http://127.0.0.1:9" }],
    models: [{ provider: "own", id: "best" }],
  });
  await ask("options.update", { provider: null });
  await ask("model.switchTo", { modelId: "own/best" });
  await expect(ask("sendAndWait", { prompt: "Two" })).rejects.toThrow(
    "provider own at 127.0.0.1:9 cannot be reached: ",
  );
});

test("sections of the system text that clients name are changed, and the text of unknown ones is said all the same", async () => {
  const { ask, client, asked, baseUrl } = await begin();
  const shown: Json[] = [];
  client.answers.set("systemMessage.transform", ({ sections }) => {
    shown.push(sections as Json);
    return { sections: { custom_instructions: { content: "TRANSFORMED" } } };
  });
  const sections = {
    tone: { action: "replace", content: "TONE" },
    custom_instructions: { action: "transform" },
    nosuch: { action: "append", content: "EXTRA" },
    other: { action: "remove", content: "REMOVED" },
  };
  await ask("create", {
    ...{ model: "gpt-5", provider: { type: "openai", baseUrl }, agent: "smith" },
    customAgents: [{ name: "smith", prompt: "Be a smith." }],
    systemMessage: { mode: "customize", sections, content: "LAST" },
  });
  await ask("sendAndWait", { prompt: "One" });
  const [text = ""] = asked.map(systemOf);
  expect(shown).toEqual([{ custom_instructions: { content: "Be a smith." } }]);
  for (const part of ["TONE", "TRANSFORMED", "EXTRA"]) expect(text).toContain(part);
  expect(text.indexOf("LAST")).toBeGreaterThan(text.indexOf("EXTRA"));
  for (const part of ["REMOVED", "Be a smith.", "Be brief"]) expect(text).not.toContain(part);
});

test("a patch is asked about as the change that it is, and runs", async () => {
  const input = "*** Begin Patch\n*** Add File: notes/a.txt\n+one\n+two\n*** End Patch";
  const { ask, client, asked, baseUrl, folder } = await begin((_, at) =>
    at === 0 ? { calls: { apply_patch: { input } } } : "Done.",
  );
  await ask("create", { model: "gpt-5", provider: { type: "openai", baseUrl } });
  await ask("permissions.setApproveAll", { enabled: false });
  await ask("send", { prompt: "One" });
  const { requestId, permissionRequest } = await client.next("permission.requested");
  expect(permissionRequest).toMatchObject({ kind: "write", fileName: "notes/a.txt" });
  expect((permissionRequest as Json).diff).toContain("+one\n+two\n");
  await ask("permissions.handlePendingPermissionRequest", { requestId, result: { kind: "approve-once" } });
  await client.next("session.idle");
  expect(await readFile(join(folder, "notes/a.txt"), "utf8")).toBe("one\ntwo\n");
  expect(asked).toHaveLength(2);
  const { codeChanges } = await ask("usage.getMetrics");
  expect(codeChanges).toMatchObject({ linesAdded: 2, linesRemoved: 0, filesModified: ["notes/a.txt"] });
});

test("a model of the configured service has that service's window, one of the app's provider its own", async () => {
  const { project: folder } = tempWorkspace();
  const { baseUrl } = await startChatProvider(() => "Yes.");
  const env = { COPILOT_API_URL: baseUrl };
  const client = startRuntime(join(folder, "home"), folder, env).connect();
  const provider = { type: "openai", baseUrl };
  await client.request("session.create", { sessionId: "s", model: "claude-sonnet-4.5" });
  await client.request("session.create", { sessionId: "p", model: "claude-sonnet-4.5", provider });
  for (const [sessionId, promptTokenLimit] of [["s", 128_000] as const, ["p", 200_000] as const]) {
    const { contextInfo } = await client.request("session.metadata.contextInfo", { sessionId });
    expect(contextInfo).toMatchObject({ promptTokenLimit });
  }
});
