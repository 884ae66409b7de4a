import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Notice } from "../../src/core/codes/reason.ts";
import { mainProfile } from "../../src/runtime/crib/profile.ts";
import { startFixture } from "../conformance/fixture-server.ts";
import { packagedServer } from "../support/mcp-sources.ts";
import { connect, textOf } from "./clients.ts";
import { openGateway } from "./world.ts";

const ECHO = fileURLToPath(new URL("../fixtures/echo-server.cjs", import.meta.url));
const IT = { mcpServers: { it: { command: process.execPath, args: [ECHO] } } };
const echo = (text = "hello") => ({ name: "it__echo", arguments: { text } });

describe.each(["legacy", "modern"] as const)("a %s client's call", (era) => {
  test("is checked against rules: what they deny is a result that says why, and the server never sees it", async () => {
    const { url } = await openGateway({
      ...IT,
      permissions: { deny: ["it/echo(secret*)"], allow: ["it/*"] },
      toolSearch: "off",
    });
    const { client } = await connect(url, era);
    await client.listTools();
    expect(textOf(await client.callTool(echo()))).toBe("hello");
    const denied = await client.callTool(echo("secret thing"));
    expect(denied).toMatchObject({ isError: true, _meta: { "toolcrib/code": expect.stringMatching(/^permission\./) } });
    expect(textOf(denied)).toMatch(/denied by the rule it\/echo\(secret\*\)\. \[permission\.denied\]$/);
  });

  test("goes through hooks, and what they make of input and output is what counts", async () => {
    const seen: string[] = [];
    const { url } = await openGateway(
      { ...IT, permissions: { allow: ["it/*"] }, toolSearch: "off" },
      {
        crib: {
          hooks: () => ({
            onPreToolUse: ({ toolName, toolArgs }) => {
              seen.push(`${toolName} ${JSON.stringify(toolArgs)}`);
              return { modifiedArgs: { text: "changed by a hook" }, additionalContext: "be careful" };
            },
          }),
        },
      },
    );
    const { client } = await connect(url, era);
    const result = await client.callTool(echo());
    expect(textOf(result)).toBe("changed by a hook\nbe careful");
    expect(seen).toEqual(['it__echo {"text":"hello"}']);
  });

  test("is told to everybody who keeps watch, under the tool's own name, also when there is no such tool", async () => {
    const { url, crib } = await openGateway({ ...IT, permissions: { allow: ["it/*"] }, toolSearch: "on" });
    const { client } = await connect(url, era);
    await client.listTools();
    const heard: string[] = [];
    crib.views[0]?.session.on("tool.execution_complete", ({ toolName, resultType }) => {
      heard.push(`${toolName} ${resultType}`);
    });
    await client.callTool({ name: "tool_search", arguments: { query: "select:it__echo" } });
    const call = era === "legacy" ? echo() : { name: "tool_call", arguments: echo() };
    expect(textOf(await client.callTool(call))).toBe("hello");
    await expect(client.callTool({ name: "no_such", arguments: {} })).rejects.toMatchObject({ code: -32602 });
    expect(heard).toEqual(["tool_search success", "it__echo success", "no_such failure"]);
  });

  test("that must be asked about is put to its user, once or for the session", async () => {
    const { url, crib } = await openGateway({ ...IT, permissions: { ask: ["it/echo"] }, toolSearch: "off" });
    const answers = ["deny", "allow once", "allow for this session"];
    const { client, told } = await connect(url, era, {
      form: () => ({ action: "accept", content: { decision: answers.shift() ?? "deny" } }),
    });
    expect(await client.callTool(echo())).toMatchObject({ isError: true });
    expect(textOf(await client.callTool(echo()))).toBe("hello");
    expect(textOf(await client.callTool(echo()))).toBe("hello");
    expect(told.asked).toHaveLength(3);
    expect(told.asked[0]).toContain("it__echo");
    expect(crib.approvals.pending).toEqual([]);
  });

  test("of a client without forms waits for the inspector, and goes on when that has answered", async () => {
    const { url, crib } = await openGateway({ ...IT, permissions: { ask: ["it/echo"] }, toolSearch: "off" });
    const { client } = await connect(url, era);
    const call = client.callTool(echo());
    await vi.waitFor(() => expect(crib.approvals.pending).toHaveLength(1), { timeout: 20_000 });
    void crib.approvals.answer(crib.approvals.pending[0]?.id ?? "", { decision: "allow" });
    expect(textOf(await call)).toBe("hello");
  });

  test("of a tool that changed since it was shown is refused as changed, until the client has looked again", async () => {
    const { url, crib } = await openGateway({ ...IT, permissions: { allow: ["it/*"] }, toolSearch: "off" });
    const { client } = await connect(url, era);
    const describe = async () =>
      (await client.listTools()).tools.find(({ name }) => name === "it__echo")?.description ?? "";
    expect(await describe()).toBe("Says it again");
    await client.callTool({ name: "it__change", arguments: {} });
    const now = () => crib.main.toolset.placements.find(({ entry }) => entry.id === "it/echo")?.entry.tool.description;
    await vi.waitFor(() => expect(now()).toBe("Says it again and again"), { timeout: 20_000 });
    const refused = await client.callTool(echo());
    expect(refused).toMatchObject({ isError: true, _meta: { "toolcrib/code": "tool_changed" } });
    expect(textOf(refused)).toContain("[tool_changed]");
    expect(await describe()).toBe("Says it again and again");
    expect(textOf(await client.callTool(echo()))).toBe("hello");
  });

  test("of a tool that is narrowed away reaches nobody, though the client was shown it", async () => {
    const config = { ...IT, permissions: { allow: ["it/*"] }, toolSearch: "off" };
    const { url, reload } = await openGateway(config);
    const { client } = await connect(url, era);
    await client.listTools();
    await reload({ ...config, excludeTools: ["it/echo"] });
    const refused = await client.callTool(echo());
    expect(refused).toMatchObject({ isError: true });
    expect(textOf(refused)).not.toBe("hello");
    await reload({ ...config, includeTools: ["view"] });
    expect(await client.callTool(echo())).toMatchObject({ isError: true });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["view"]);
    await expect(client.callTool(echo())).rejects.toMatchObject({ code: -32602 });
  });

  test("is taken back when the client cancels it, up to the server", async () => {
    const { url, crib } = await openGateway({ ...IT, permissions: { allow: ["it/*"] }, toolSearch: "off" });
    const { client } = await connect(url, era);
    await client.listTools();
    const controller = new AbortController();
    const ended = new Promise<string | null>((resolve) => {
      crib.views[0]?.session.on("tool.running", () => controller.abort());
      crib.views[0]?.session.on("tool.execution_complete", ({ cancelledBy }) => resolve(cancelledBy));
    });
    const call = client.callTool({ name: "it__wait", arguments: {} }, { signal: controller.signal });
    await expect(call).rejects.toThrow();
    expect(await ended).toBe("user");
    const stderr = () => crib.sources.find(({ name }) => name === "it") as unknown as { readStderr(): string | null };
    await vi.waitFor(() => expect(stderr().readStderr()).toContain("cancelled"), { timeout: 20_000 });
  });
});

test("the tools of a stateless client never change because of what it searched for; those of a session grow", async () => {
  const { url } = await openGateway({ ...IT, permissions: { allow: ["it/*"] }, toolSearch: "on" });
  const names = async (era: "legacy" | "modern") => {
    const heard: string[] = [];
    const { client } = await connect(url, era, { onList: (what) => void heard.push(what) });
    const list = async () => (await client.listTools()).tools.map(({ name }) => name);
    const before = await list();
    const found = await client.callTool({ name: "tool_search", arguments: { query: "select:it__echo" } });
    expect(textOf(found)).toContain("it__echo");
    if (era === "legacy") await vi.waitFor(() => expect(heard).toContain("tools"), { timeout: 20_000 });
    return { before, after: await list() };
  };
  const modern = await names("modern");
  expect(modern.before).toContain("tool_call");
  expect(modern.before).not.toContain("it__echo");
  expect(modern.after).toEqual(modern.before);
  const legacy = await names("legacy");
  expect(legacy.before).not.toContain("tool_call");
  expect(legacy.after).toEqual([...legacy.before, "it__echo"]);
});

test("a server of which nothing is open to a client gives it no prompts and no resources either", async () => {
  const everything = packagedServer("everything");
  const config = { mcpServers: { every: { command: process.execPath, args: [everything, "stdio"] } } };
  const { url, reload } = await openGateway(config);
  const { client } = await connect(url, "legacy");
  expect((await client.listPrompts()).prompts.length).toBeGreaterThan(0);
  const { resources } = await client.listResources();
  expect(resources.length).toBeGreaterThan(0);
  const narrowed = (await connect(`${url}?include=view`, "legacy")).client;
  expect((await narrowed.listPrompts()).prompts).toEqual([]);
  expect((await narrowed.listResources()).resources).toEqual([]);
  await expect(narrowed.readResource({ uri: resources[0]?.uri ?? "" })).rejects.toMatchObject({ code: -32602 });
  const excluded = (await connect(`${url}?exclude=every`, "modern")).client;
  expect((await excluded.listPrompts()).prompts).toEqual([]);
  await reload({ ...config, permissions: { deny: ["every/echo"] } });
  expect((await client.listResources()).resources).toEqual(resources);
  await reload({ ...config, permissions: { deny: ["every"] } });
  expect((await client.listPrompts()).prompts).toEqual([]);
  await expect(client.readResource({ uri: resources[0]?.uri ?? "" })).rejects.toMatchObject({ code: -32602 });
});

test("whatever the rules say, the gateway decides as the session does", async () => {
  const config = (permissions: object) => ({
    ...IT,
    permissions,
    toolSearch: "off",
    gateway: { approvals: "inspector" },
  });
  const { url, crib, reload, place } = await openGateway(config({}), { crib: { isWatched: () => false } });
  writeFileSync(join(place.cwd, "a.txt"), "text of a");
  const session = await crib.openView({ profile: mainProfile(), label: "law", client: null, approve: null });
  await session.settled(AbortSignal.timeout(30_000));
  const { client } = await connect(url, "legacy");
  const { client: stateless } = await connect(url, "modern");
  const rule = fc.constantFrom(
    ...["it/echo", "it/*", "it__echo(a*)", "it/echo(*)", "view", "view(a.txt)", "Read(./**)", "mcp__it", "create", "*"],
  );
  const call = fc.constantFrom(
    echo("a"),
    echo("b"),
    { name: "view", arguments: { path: "a.txt" } },
    { name: "view", arguments: { path: "missing.txt" } },
    { name: "create", arguments: { path: "never/made.txt", content: "x" } },
    { name: "it__pid", arguments: {} },
  );
  const rules = fc.array(rule, { maxLength: 2 });
  await fc.assert(
    fc.asyncProperty(
      fc.record({ allow: rules, ask: rules, deny: rules }),
      fc.array(call, { minLength: 1, maxLength: 3 }),
      async (permissions, calls) => {
        await reload(config(permissions));
        for (const { name, arguments: args } of calls) {
          if (name === "create") continue;
          const direct = await session.call(name, args);
          for (const one of [client, stateless]) {
            const given = await one.callTool({ name, arguments: args }).catch((error: Error) => error);
            const isUnknown = given instanceof Error;
            if (isUnknown) expect(direct.error).toContain("unknown tool");
            else {
              expect(given.isError === true).toBe(direct.resultType !== "success");
              expect(textOf(given).replace(/ \[[a-z.-]+\]$/, "")).toBe(direct.textResultForLlm);
            }
          }
        }
      },
    ),
    { numRuns: 40 },
  );
  expect(existsSync(join(place.cwd, "never/made.txt"))).toBe(false);
});

test("a stateless client that leaves a question open keeps nobody else waiting, whatever it asked for", async () => {
  const { url, place } = await openGateway({ permissions: { ask: ["create"], allow: ["view"] } });
  writeFileSync(join(place.cwd, "a.txt"), "text of a");
  const headers = {
    "content-type": "application/json",
    accept: "application/json",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "create",
  };
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
  };
  const params = { name: "create", arguments: { path: "left.txt", content: "x" }, _meta };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  expect(await (await fetch(url, { method: "POST", headers, body })).text()).toContain("input_required");
  const { client } = await connect(url, "modern", {
    form: () => ({ action: "accept", content: { decision: "allow once" } }),
  });
  const made = await client.callTool({ name: "create", arguments: { path: "made.txt", content: "made" } });
  expect(made.isError).toBeUndefined();
  expect(textOf(await client.callTool({ name: "view", arguments: { path: "a.txt" } }))).toContain("text of a");
  expect(existsSync(join(place.cwd, "made.txt"))).toBe(true);
  expect(existsSync(join(place.cwd, "left.txt"))).toBe(false);
});

test.each(["legacy", "modern"] as const)(
  "names in the address of a %s client that mean no tool are told to people, once, when the servers are there (I3)",
  async (era) => {
    const told: Notice[] = [];
    const { url } = await openGateway(
      { mcpServers: { echo: { command: process.execPath, args: [ECHO] } }, toolSearch: "off" },
      { gateway: { onUnknownNames: (notices) => void told.push(...notices) } },
    );
    for (const _ of ["once", "again"]) {
      const { client } = await connect(`${url}?exclude=vieww,execute,echo/none&include=*,echo/echo`, era);
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain("echo__echo");
    }
    const { client } = await connect(`${url}?exclude=execute`, era);
    await client.listTools();
    const exclude = { code: "filter.unknown-name", level: "warning", origin: { kind: "call", call: "?exclude=" } };
    expect(told).toMatchObject([
      { ...exclude, text: expect.stringMatching(/^main: the client's exclude list names "vieww".* mean "view"/) },
      { ...exclude, text: expect.stringMatching(/^main: the client's exclude list names "echo\/none"/) },
    ]);
  },
);

test("of two servers with the same addresses the first one answers, and that is told once", async () => {
  const one = await startFixture("legacy");
  const two = await startFixture("modern");
  onTestFinished(() => Promise.all([one.close(), two.close()]).then(() => {}));
  const notices: string[] = [];
  const servers = { one: { type: "http", url: one.url }, two: { type: "http", url: two.url } };
  const { url } = await openGateway(
    { mcpServers: servers },
    { gateway: { onNotice: (text) => void notices.push(text) } },
  );
  const { client } = await connect(url, "legacy");
  const uris = (await client.listResources()).resources.map(({ uri }) => uri);
  expect(uris).toHaveLength(new Set(uris).size);
  await client.listResources();
  expect(notices.filter((text) => text.includes("test://static-text"))).toEqual([
    "the servers one and two both have test://static-text; one answers for it, being configured first",
  ]);
  const prompts = (await client.listPrompts()).prompts.map(({ name }) => name);
  expect(prompts).toEqual(expect.arrayContaining(["one__test_simple_prompt", "two__test_simple_prompt"]));
});
