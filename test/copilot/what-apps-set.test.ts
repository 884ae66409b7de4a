import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answerAll, startRuntime, type TestClient } from "../support/copilot-client.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

type Json = Record<string, unknown>;

const SERVER = join(import.meta.dirname, "../fixtures/many-tools-server.cjs");
const server = (prefix: string, more: Json = {}) => ({
  ...{ type: "local", command: process.execPath, args: [SERVER, "tools=2", `prefix=${prefix}`], tools: ["*"] },
  ...more,
});
const PAY = { name: "pay", description: "Pays", parameters: { type: "object" }, skipPermission: true };

async function begin(replies: readonly unknown[], approvesAll = true) {
  const { project } = tempWorkspace();
  const script = join(project, "script.json");
  await writeFile(script, JSON.stringify({ replies }));
  const start = () => startRuntime(join(project, "home"), project, {}, undefined, { approvesAll });
  return { model: `scripted:${script}`, start };
}

async function toolNames(client: TestClient): Promise<readonly string[]> {
  const { tools } = await client.request("session.tools.getCurrentMetadata", { sessionId: "s" });
  return (tools as { name: string }[]).map(({ name }) => name);
}

test("a resumed session has the servers, lists and tools that the app gives it then, and none of those before", async () => {
  const { model, start } = await begin(["One."]);
  const [first, second] = [start(), start()];
  const one = first.connect();
  await one.request("session.create", {
    ...{ sessionId: "s", model, tools: [PAY], excludedTools: ["bash"] },
    mcpServers: { town: server("town") },
  });
  await one.request("session.sendAndWait", { sessionId: "s", prompt: "Go" });
  expect(await toolNames(one)).toEqual(expect.arrayContaining(["pay", "town-town_1", "town-town_2", "view"]));
  expect(await toolNames(one)).not.toContain("bash");
  await first.server.close();
  const two = second.connect();
  await two.request("session.resume", {
    ...{ sessionId: "s", model, tools: [{ ...PAY, name: "lend" }], excludedTools: ["view"] },
    mcpServers: { town: server("city", { tools: ["city_1"] }) },
  });
  // Servers start with the first message, or as soon as somebody asks for them.
  await two.request("session.mcp.list", { sessionId: "s" });
  await expect.poll(() => toolNames(two), { timeout: 60_000 }).toContain("town-city_1");
  const names = await toolNames(two);
  expect(names).toEqual(expect.arrayContaining(["lend", "bash"]));
  for (const gone of ["pay", "view", "town-town_1", "town-city_2"]) expect(names).not.toContain(gone);
});

test("a hook of the app changes what the model reads of a result", async () => {
  const { model, start } = await begin([{ calls: [{ tool: "pay", arguments: {} }] }, "Done."]);
  const client = start().connect();
  client.answers.set("hooks.invoke", ({ hookType }) =>
    hookType === "postToolUse"
      ? { output: { modifiedResult: { textResultForLlm: "paid, says the hook", resultType: "success" } } }
      : {},
  );
  await client.request("session.create", { sessionId: "s", model, tools: [PAY], hooks: true });
  const stop = answerAll(client, "s");
  await client.request("session.sendAndWait", { sessionId: "s", prompt: "Go" });
  stop();
  const end = client.events.find(({ type }) => type === "tool.execution_complete");
  expect(end?.data).toMatchObject({ success: true, result: { content: "paid, says the hook" } });
});

test("a hook of the app allows and denies calls by itself, and the model reads why", async () => {
  const calls = ["pay", "lend"].map((tool) => ({ tool, arguments: {} }));
  const { model, start } = await begin([{ calls }, "Done."], false);
  const client = start().connect();
  client.answers.set("hooks.invoke", ({ hookType, input }) => {
    if (hookType !== "preToolUse") return {};
    const isAllowed = (input as Json).toolName === "pay";
    const reason = isAllowed ? "fine" : "not lent on a Friday";
    return {
      output: { permissionDecision: isAllowed ? "allow" : "deny", permissionDecisionReason: reason },
    };
  });
  const tools = ["pay", "lend"].map((name) => ({ ...PAY, name, skipPermission: false }));
  await client.request("session.create", { sessionId: "s", model, tools, hooks: true });
  const stop = answerAll(client, "s");
  await client.request("session.sendAndWait", { sessionId: "s", prompt: "Go" });
  stop();
  const endOf = (name: string) =>
    client.events.find(({ type, data }) => type === "tool.execution_complete" && data.toolName === name)?.data;
  expect([endOf("pay")?.success, endOf("lend")?.success]).toEqual([true, false]);
  expect(JSON.stringify(endOf("lend"))).toContain("not lent on a Friday");
  expect(client.events.map(({ type }) => type)).not.toContain("permission.requested");
});

test("a server of the app that is slow is ended at the time that the app gave it, and the turn goes on", async () => {
  const { model, start } = await begin([{ calls: [{ tool: "slow-wait", arguments: { ms: 60_000 } }] }, "Done."]);
  const client = start().connect();
  const echo = join(import.meta.dirname, "../fixtures/echo-server.cjs");
  const slow = { type: "local", command: process.execPath, args: [echo], tools: ["wait"], timeout: 1_000 };
  await client.request("session.create", { sessionId: "s", model, mcpServers: { slow } });
  await client.request("session.sendAndWait", { sessionId: "s", prompt: "Go" });
  const end = client.events.find(({ type }) => type === "tool.execution_complete");
  expect(end?.data).toMatchObject({ success: false, error: { message: expect.stringContaining("1 s") } });
  expect(client.events.findLast(({ type }) => type === "assistant.message")?.data).toMatchObject({ content: "Done." });
});
