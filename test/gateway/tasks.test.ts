import { fileURLToPath } from "node:url";
import { describe, expect, test, vi } from "vitest";
import { mainProfile } from "../../src/runtime/crib/profile.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { packagedServer } from "../support/mcp-sources.ts";
import { connect, createLineClient, type LineClient, textOf } from "./clients.ts";
import { type GatewayWorld, openGateway, type WorldOptions } from "./world.ts";

const TASKS = fileURLToPath(new URL("../fixtures/task-server.cjs", import.meta.url));
const RELATED = "io.modelcontextprotocol/related-task";
const CONFIG = {
  mcpServers: { it: { command: process.execPath, args: [TASKS] } },
  includeTools: ["it"],
  permissions: { allow: ["it/*"] },
  toolSearch: "off",
};

type Message = Record<string, unknown>;

const eventually = <T>(look: () => T): Promise<Awaited<T>> =>
  vi.waitFor(look, { timeout: 30_000 }) as Promise<Awaited<T>>;

async function join({ gateway }: GatewayWorld, version = "2025-11-25", capabilities: object = {}) {
  const client = createLineClient();
  void gateway.serveStdio(client, mainProfile());
  const introduction = { protocolVersion: version, capabilities, clientInfo: { name: "tasks", version: "1" } };
  const greeting = await client.request("hello", "initialize", introduction);
  client.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  return { ...client, greeting, ...toolsOf(client) };
}

function toolsOf({ request }: LineClient) {
  let last = 0;
  const ask = (method: string, params: object = {}): Promise<Message> => {
    last += 1;
    return request(last, method, params);
  };
  const call = (name: string, more: object = {}) => ask("tools/call", { name: `it__${name}`, arguments: {}, ...more });
  return {
    ask,
    call,
    async start(name: string, task: object = {}): Promise<string> {
      const { result } = (await call(name, { task })) as { result: { task: { taskId: string; status: string } } };
      expect(result.task).toMatchObject({ status: "working", ttl: expect.any(Number), pollInterval: 1000 });
      return result.task.taskId;
    },
    async seen(): Promise<Message> {
      return JSON.parse(textOf((await call("seen")).result));
    },
  };
}

const open = (options: WorldOptions = {}, config: object = {}) => openGateway({ ...CONFIG, ...config }, options);

describe("a call as a task", () => {
  test("is answered with the task at once, runs once, and gives its result as often as it is asked for", async () => {
    const calls: string[] = [];
    const hooks = () => ({ onPreToolUse: ({ toolName }: { toolName: string }) => void calls.push(toolName) });
    const { greeting, ask, call, start, seen } = await join(await open({ crib: { hooks } }));
    expect(greeting).toMatchObject({ result: { capabilities: { tasks: { requests: { tools: { call: {} } } } } } });
    const listed = (await ask("tools/list")) as { result: { tools: Message[] } };
    const supports = listed.result.tools.filter(({ execution }) => execution !== undefined);
    expect(supports).toMatchObject([
      { name: "it__must", execution: { taskSupport: "optional" } },
      { name: "it__wait", execution: { taskSupport: "optional" } },
    ]);
    const taskId = await start("wait", { ttl: 90_000 });
    await eventually(async () => expect(await seen()).toMatchObject({ started: 1 }));
    expect(await ask("tasks/get", { taskId })).toMatchObject({ result: { taskId, status: "working", ttl: 90_000 } });
    const early = ask("tasks/result", { taskId });
    await call("release");
    const done = { content: [{ type: "text", text: "waited" }], _meta: { [RELATED]: { taskId } } };
    expect(await early).toMatchObject({ result: done });
    expect(await ask("tasks/result", { taskId })).toMatchObject({ result: done });
    expect(await ask("tasks/get", { taskId })).toMatchObject({ result: { status: "completed" } });
    expect(await ask("tasks/list")).toMatchObject({ result: { tasks: [{ taskId, status: "completed" }] } });
    expect(await seen()).toMatchObject({ started: 1 });
    expect(calls.filter((name) => name === "it__wait")).toHaveLength(1);
  });

  test("belongs to its client: another one cannot name it, see it, wait for it or end it", async () => {
    const world = await open();
    const [ada, eve] = [await join(world), await join(world)];
    const taskId = await ada.start("wait");
    for (const method of ["tasks/get", "tasks/result", "tasks/cancel"])
      expect(await eve.ask(method, { taskId })).toMatchObject({ error: { code: -32602, message: /not found/i } });
    expect(await eve.ask("tasks/list")).toMatchObject({ result: { tasks: [] } });
    expect(await ada.ask("tasks/get", { taskId })).toMatchObject({ result: { status: "working" } });
    for (const wrong of [{}, { taskId: 7 }, { taskId: "upstream-1" }])
      expect(await ada.ask("tasks/get", wrong)).toMatchObject({ error: { code: -32602 } });
  });

  test("is refused where the tool is none for it, and then nothing has run", async () => {
    const { call, seen } = await join(await open());
    expect(await call("plain", { task: {} })).toMatchObject({
      error: { code: -32601, message: expect.stringContaining("call it without `task`") },
    });
    expect(await call("nothing", { task: {} })).toMatchObject({ error: { code: -32602 } });
    expect(await call("wait", { task: "soon" })).toMatchObject({ error: { code: -32602 } });
    expect(await seen()).toMatchObject({ started: 0 });
    expect(await call("plain")).toMatchObject({ result: { content: [{ text: "plain" }] } });
  });

  test("that is cancelled ends at its server too, and is cancelled once", async () => {
    const { ask, start, seen, next } = await join(await open());
    const taskId = await start("wait");
    await eventually(async () => expect(await seen()).toMatchObject({ started: 1 }));
    const waiting = ask("tasks/result", { taskId });
    expect(await ask("tasks/cancel", { taskId })).toMatchObject({ result: { taskId, status: "cancelled" } });
    expect(await waiting).toMatchObject({ result: { isError: true } });
    expect(await next(({ method }) => method === "notifications/tasks/status")).toMatchObject({
      params: { taskId, status: "cancelled" },
    });
    expect(await ask("tasks/cancel", { taskId })).toMatchObject({ error: { code: -32602 } });
    await eventually(async () => expect(await seen()).toMatchObject({ cancelled: 1 }));
  });

  test("is decided about like any other: what a rule denies fails with the reason, and does not run", async () => {
    const config = { permissions: { ask: ["it/wait"], allow: ["it/*"] }, gateway: { approvals: "deny" } };
    const { ask, start, seen } = await join(await open({}, config));
    const taskId = await start("wait");
    expect(await ask("tasks/result", { taskId })).toMatchObject({ result: { isError: true } });
    expect(await ask("tasks/get", { taskId })).toMatchObject({ result: { status: "failed" } });
    expect(await seen()).toMatchObject({ started: 0 });
  });

  test("that has to be asked about says so, and asks anyone who waits for its result", async () => {
    const config = { permissions: { ask: ["it/wait"], allow: ["it/*"] } };
    const { ask, call, start, send, next, seen } = await join(await open({}, config), "2025-11-25", {
      elicitation: { form: {} },
    });
    const taskId = await start("wait");
    const asked = await next(({ method }) => method === "elicitation/create");
    expect(asked).toMatchObject({ params: { _meta: { [RELATED]: { taskId } } } });
    expect(await ask("tasks/get", { taskId })).toMatchObject({ result: { status: "input_required" } });
    send({ jsonrpc: "2.0", id: asked.id, result: { action: "accept", content: { decision: "allow once" } } });
    await eventually(async () => expect(await seen()).toMatchObject({ started: 1 }));
    await call("release");
    expect(await ask("tasks/result", { taskId })).toMatchObject({ result: { content: [{ text: "waited" }] } });
  });

  test("whose server dies fails, and is not run again", async () => {
    const { crib, ...world } = await open();
    const { ask, start, seen } = await join({ ...world, crib });
    const taskId = await start("wait");
    await eventually(async () => expect(await seen()).toMatchObject({ started: 1 }));
    const [source] = crib.sources.filter(({ name }) => name === "it");
    await (source as unknown as { restart(): Promise<void> }).restart(); // Only MCP sources have that member.
    expect(await ask("tasks/result", { taskId })).toMatchObject({ result: { isError: true } });
    await eventually(async () => expect(await seen()).toMatchObject({ started: 0 }));
    expect(await ask("tasks/get", { taskId })).toMatchObject({ result: { status: "failed" } });
  });

  test("means nothing in versions that do not know it: the call is an ordinary one", async () => {
    const { greeting, ask, call } = await join(await open(), "2025-06-18");
    expect(JSON.stringify(greeting)).not.toContain('"tasks"');
    expect(await call("plain", { task: {} })).toMatchObject({ result: { content: [{ text: "plain" }] } });
    expect(await ask("tasks/list")).toMatchObject({ error: { code: -32601 } });
  });
});

describe("what is kept of tasks", () => {
  const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

  test("holds a silent client's session while one runs, lives as long as was said, and then is gone", async () => {
    const clock = createFakeClock();
    const { url, gateway, crib } = await open({ gateway: { clock, limits: { idle: 400_000 } } });
    await crib.main.settled(AbortSignal.timeout(30_000));
    const post = async (method: string, params: object, session = "") => {
      const answer = await fetch(url, {
        method: "POST",
        headers: { ...HEADERS, ...(session === "" ? {} : { "mcp-session-id": session }) },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
      return { session: answer.headers.get("mcp-session-id") ?? session, body: JSON.parse(await answer.text()) };
    };
    const introduction = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
    const { session } = await post("initialize", introduction);
    const call = { name: "it__wait", arguments: {}, task: { ttl: 1 } };
    const { taskId } = (await post("tools/call", call, session)).body.result.task;
    const seen = async () =>
      JSON.parse(textOf((await post("tools/call", { name: "it__seen", arguments: {} }, session)).body.result));
    await eventually(async () => expect(await seen()).toMatchObject({ started: 1 }));
    clock.advance(800_000);
    expect(gateway.clients).toHaveLength(1);
    await post("tools/call", { name: "it__release", arguments: {} }, session);
    const done = { result: { content: [{ type: "text", text: "waited" }] } };
    expect((await post("tasks/result", { taskId }, session)).body).toMatchObject(done);
    clock.advance(59_000);
    expect((await post("tasks/result", { taskId }, session)).body).toMatchObject(done);
    clock.advance(2_000);
    expect((await post("tasks/get", { taskId }, session)).body).toMatchObject({ error: { code: -32602 } });
    clock.advance(900_000);
    expect(gateway.clients).toEqual([]);
    await eventually(() => expect(crib.views).toEqual([]));
    expect(clock.pending).toEqual([]);
  });

  test("is a hundred for each client; what is more is refused and not run", async () => {
    const world = await open();
    const { call, start, seen } = await join(world);
    for (let at = 0; at < 100; at += 1) await start("wait");
    expect(await call("wait", { task: {} })).toMatchObject({
      error: { code: -32000, message: expect.stringContaining("nothing was run") },
    });
    await eventually(async () => expect(await seen()).toMatchObject({ started: 100 }));
    const other = await join(world);
    await other.start("wait");
  });
});

describe("a tool that its server runs as tasks only", () => {
  test.each(["legacy", "modern"] as const)("is an ordinary one for a %s client", async (era) => {
    const { url } = await open();
    const { client } = await connect(url, era);
    const { client: helper } = await connect(url, era);
    const call = (name: string) => client.callTool({ name: `it__${name}`, arguments: {} });
    const seen = async () => JSON.parse(textOf(await helper.callTool({ name: "it__seen", arguments: {} })));
    const waiting = call("must");
    await eventually(async () => expect(await seen()).toMatchObject({ asTasks: 1 }));
    // The result is asked for after the task was made, so it may have to be released more than once.
    let isDone = false;
    const released = eventually(async () => {
      await helper.callTool({ name: "it__release", arguments: {} });
      expect(isDone).toBe(true);
    });
    const result = await waiting;
    isDone = true;
    await released;
    expect(textOf(result)).toBe("did it");
    expect(JSON.stringify(result)).not.toContain("upstream-1");
    expect(result._meta).toMatchObject({ kept: true });
    expect(await seen()).toMatchObject({ started: 1, asTasks: 1 });
  });

  test("is told to stop when nobody waits for it any more", async () => {
    const { start, ask, seen } = await join(await open());
    const taskId = await start("must");
    await eventually(async () => expect(await seen()).toMatchObject({ asTasks: 1 }));
    await ask("tasks/cancel", { taskId });
    await eventually(async () => expect(Number((await seen()).cancelled)).toBeGreaterThan(0));
  });

  test.each(["legacy", "modern"] as const)("of npm works for a %s client, forms and all", async (era) => {
    const { url } = await openGateway({
      mcpServers: { all: { command: process.execPath, args: [packagedServer("everything"), "stdio"] } },
      includeTools: ["all/simulate-research-query"],
      permissions: { allow: ["all/*"] },
      toolSearch: "off",
    });
    const form = () => ({ action: "accept" as const, content: { interpretation: "technical" } });
    const { client, told } = await connect(url, era, { form });
    const args = { topic: "cranes", ambiguous: true };
    const result = await client.callTool({ name: "all__simulate-research-query", arguments: args });
    expect(textOf(result)).toContain("cranes");
    expect(told.asked).toHaveLength(1);
  });
});
