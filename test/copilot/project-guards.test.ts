import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { trustWorkspace } from "../../src/config/load-config.ts";
import { startRuntime, type TestClient } from "../support/copilot-client.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

const ECHO = join(import.meta.dirname, "../fixtures/echo-server.cjs");
const tool = (name: string) => ({ name, description: `Does ${name}`, parameters: { type: "object", properties: {} } });
const calling = (...names: string[]) => ({ calls: names.map((name) => ({ tool: name, arguments: {} })) });

const until = <T>(read: () => T) => expect.poll(read, { timeout: 60_000 });

/** A runtime in a project with these files, and a client of it. */
async function begin(files: Record<string, string>, replies: readonly object[] = [], isTrusted = false) {
  const { project, base } = tempWorkspace({ ".git/HEAD": "", "script.json": JSON.stringify({ replies }), ...files });
  const home = join(base, "home");
  if (isTrusted) await trustWorkspace({ cwd: project, home, env: {} });
  const client = startRuntime(home, project).connect();
  const model = `scripted:${join(project, "script.json")}`;
  return {
    client,
    project,
    create: (more = {}) => client.request("session.create", { sessionId: "s", model, ...more }),
  };
}

async function send(client: TestClient) {
  await client.request("session.send", { sessionId: "s", prompt: "Go" });
  await client.next("session.idle");
}

async function toolNames(client: TestClient): Promise<readonly string[]> {
  const { tools } = await client.request("session.tools.getCurrentMetadata", { sessionId: "s" });
  return (tools as { name: string }[]).map(({ name }) => name);
}

const ends = ({ events }: TestClient) =>
  events.filter(({ type }) => type === "tool.execution_complete").map(({ data }) => data);
const warnings = ({ events }: TestClient) =>
  events.flatMap(({ type, data }) => (type === "session.warning" ? [String(data.message)] : []));

test("a search engine and a memory that a person set up are there for an app; those of an untrusted project are not", async () => {
  const own = "search:\n  web: { url: 'http://127.0.0.1:9/?q={query}' }\nfeatures: { memory: true }\n";
  const files = { "toolcrib.yaml": own };
  const wanted = ["web_search", "store_memory", "recall_memory"];
  const found = async (isTrusted: boolean, more = {}) => {
    const { client, create } = await begin(files, [], isTrusted);
    await create(more);
    const names = await toolNames(client);
    return wanted.filter((name) => names.includes(name));
  };
  expect(await found(false)).toEqual([]);
  expect(await found(true)).toEqual(wanted);
  expect(await found(true, { excludedTools: ["web_search"] })).toEqual(["store_memory", "recall_memory"]);
  const { client, create } = await begin(
    files,
    [{ calls: [{ tool: "web_search", arguments: {} }] }, { text: "Done." }],
    true,
  );
  await create({ tools: [{ ...tool("web_search"), skipPermission: true }] });
  await client.request("session.send", { sessionId: "s", prompt: "Go" });
  expect(await client.next("external_tool.requested")).toMatchObject({ toolName: "web_search" });
});

test("deny rules and lists of a project that nobody trusts take tools away from an app", async () => {
  const rules = 'permissions:\n  deny: [pay, "bash(git push *)"]\nexcludeTools: [drop]\nincludeTools: [view, bash]\n';
  const push = { calls: [{ tool: "bash", arguments: { command: "git push origin", description: "Push" } }] };
  const { client, create } = await begin({ "toolcrib.yaml": rules }, [push, { text: "No." }]);
  await create({ tools: ["pay", "drop", "ask"].map(tool) });
  expect(new Set(await toolNames(client))).toEqual(new Set(["ask", "bash", "view"]));
  await send(client);
  expect(ends(client)).toMatchObject([{ success: false, error: { message: expect.stringContaining("git push") } }]);
  expect(client.events.some(({ type }) => type === "permission.requested")).toBe(false);
});

test("an ask rule asks about a tool that an app lets run without a question, an allow rule allows nothing", async () => {
  const rules = "permissions:\n  ask: [pay]\n  allow: [read_it]\n";
  const { client, create } = await begin({ "toolcrib.yaml": rules }, [calling("pay", "read_it"), { text: "." }], true);
  await create({ tools: [{ ...tool("pay"), skipPermission: true }, tool("read_it")] });
  await client.request("session.send", { sessionId: "s", prompt: "Go" });
  for (const _ of ["pay", "read_it"]) {
    const { requestId } = await client.next("permission.requested");
    const result = { kind: "user-not-available" };
    await client.request("session.permissions.handlePendingPermissionRequest", { sessionId: "s", requestId, result });
  }
  await client.next("session.idle");
  expect(ends(client)).toMatchObject([{ success: false }, { success: false }]);
});

const HOOKS = { "toolcrib.yaml": 'hooks:\n  preToolUse:\n    - command: "echo too late >&2; exit 2"\n' };
const OPEN = { ...tool("pay"), skipPermission: true };

test("hooks of a project run once somebody trusts them, unless the app wants no hooks from files", async () => {
  const trusted = await begin(HOOKS, [calling("pay"), { text: "." }], true);
  await trusted.create({ tools: [OPEN] });
  await send(trusted.client);
  expect(JSON.stringify(ends(trusted.client))).toContain("too late");
  for (const [isTrusted, more] of [
    [false, {}],
    [true, { enableFileHooks: false }],
  ] as const) {
    const { client, create } = await begin(HOOKS, [calling("pay"), { text: "." }], isTrusted);
    await create({ tools: [OPEN], ...more });
    await client.request("session.send", { sessionId: "s", prompt: "Go" });
    const { requestId } = await client.next("external_tool.requested");
    await client.request("session.tools.handlePendingToolCall", { sessionId: "s", requestId, result: "paid" });
    await client.next("session.idle");
    expect(ends(client)).toMatchObject([{ success: true }]);
    expect(warnings(client).some((text) => text.includes("toolcrib trust"))).toBe(!isTrusted);
  }
});

const HOOK_FILE = JSON.stringify({
  version: 1,
  hooks: { preToolUse: [{ type: "command", bash: "echo not today >&2; exit 2" }] },
});

test("hooks in folders that an app brings run, unless it wants no hooks from files", async () => {
  const { project: folder } = tempWorkspace({ "own/hooks/a.json": HOOK_FILE, "own/hooks/b.txt": "no hooks" });
  const hookDirectories = [join(folder, "own/hooks"), join(folder, "nowhere")];
  const { client, create } = await begin({}, [calling("pay"), { text: "." }, calling("pay"), { text: "." }]);
  await create({ tools: [OPEN], hookDirectories });
  await send(client);
  expect(JSON.stringify(ends(client))).toContain("not today");
  await client.request("session.options.update", { sessionId: "s", hookDirectories: [] });
  await client.request("session.send", { sessionId: "s", prompt: "Go" });
  const { requestId } = await client.next("external_tool.requested");
  await client.request("session.tools.handlePendingToolCall", { sessionId: "s", requestId, result: "paid" });
  await client.next("session.idle");
  expect(ends(client)).toMatchObject([{ success: false }, { success: true }]);
  expect(warnings(client)).toEqual([]);
});

test("hooks in a folder of the workspace run only from .github/hooks, and only once trusted", async () => {
  const { client, create, project } = await begin({ "more/a.json": HOOK_FILE }, [calling("pay"), { text: "." }], true);
  const { project: outside } = tempWorkspace({ "kept/.keep": "" });
  symlinkSync(join(project, "more/a.json"), join(outside, "kept/b.json"));
  await create({ tools: [OPEN], hookDirectories: ["more", join(outside, "kept")] });
  await client.request("session.send", { sessionId: "s", prompt: "Go" });
  const { requestId } = await client.next("external_tool.requested");
  await client.request("session.tools.handlePendingToolCall", { sessionId: "s", requestId, result: "paid" });
  await client.next("session.idle");
  expect(ends(client)).toMatchObject([{ success: true }]);
  for (const file of ["more/a.json", "kept/b.json"])
    expect(warnings(client).join("\n")).toMatch(new RegExp(`${file} is left out: .* count from \\.github/hooks`));
});

test("what an app's server offers and the lock of the project does not know stays hidden", async () => {
  const mcpServers = { echo: { command: process.execPath, args: [ECHO] } };
  const open = await begin({});
  await open.create({ mcpServers });
  await open.client.request("session.mcp.list", { sessionId: "s" });
  await until(() => toolNames(open.client)).toContain("echo-echo");
  const locked = await begin({ "toolcrib.lock": '{ "version": 2, "servers": {}, "tools": {} }\n' });
  await locked.create({ mcpServers });
  const list = async () => (await locked.client.request("session.mcp.list", { sessionId: "s" })).servers;
  await until(list).toMatchObject([{ name: "echo", status: "connected" }]);
  expect(await toolNames(locked.client)).not.toContain("echo-echo");
});

test("servers of a project are there only for an app that asks for them, and only trusted ones", async () => {
  const files = {
    "toolcrib.yaml": JSON.stringify({ mcpServers: { echo: { command: process.execPath, args: [ECHO] } } }),
  };
  const list = async (client: TestClient) => (await client.request("session.mcp.list", { sessionId: "s" })).servers;
  const asked = await begin(files, [], true);
  await asked.create({ enableConfigDiscovery: true });
  await until(() => list(asked.client)).toMatchObject([{ name: "echo", status: "connected" }]);
  expect(await toolNames(asked.client)).toContain("echo-echo");
  const silent = await begin(files, [], true);
  await silent.create();
  expect(await list(silent.client)).toEqual([]);
  const untrusted = await begin(files);
  await untrusted.create({ enableConfigDiscovery: true });
  expect(await list(untrusted.client)).toEqual([]);
  await until(() => warnings(untrusted.client).join()).toContain('Run "toolcrib trust"');
});

test("a file that cannot be read as configuration keeps a session from opening", async () => {
  const { create } = await begin({ "toolcrib.yaml": "permissions: { deney: [bash] }\n" });
  await expect(create()).rejects.toThrow(/toolcrib\.yaml.*deney/s);
});

test("a filter that matches no tool is told to the app", async () => {
  const { client, create } = await begin({});
  await create({ tools: [tool("pay")], excludedTools: ["payy"] });
  await until(() => warnings(client).join()).toContain("payy");
});

test("tools that an app sets while a turn runs are there for its next request", async () => {
  const { client, create } = await begin({}, [calling("first"), calling("second"), { text: "Done." }]);
  await create({ tools: [{ ...tool("first"), skipPermission: true }] });
  await client.request("session.send", { sessionId: "s", prompt: "Go" });
  const first = await client.next("external_tool.requested");
  await client.request("session.tools.set", { sessionId: "s", tools: [{ ...tool("second"), skipPermission: true }] });
  const answer = (requestId: unknown) =>
    client.request("session.tools.handlePendingToolCall", { sessionId: "s", requestId, result: "ok" });
  expect(await answer(first.requestId)).toEqual({ success: true });
  const second = await client.next("external_tool.requested");
  expect(second).toMatchObject({ toolName: "second" });
  await answer(second.requestId);
  await client.next("session.idle");
  expect(ends(client)).toMatchObject([{ success: true }, { success: true }]);
});
