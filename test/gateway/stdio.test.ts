import { fileURLToPath } from "node:url";
import { describe, expect, test, vi } from "vitest";
import { mainProfile } from "../../src/runtime/crib/profile.ts";
import { createLineClient } from "./clients.ts";
import { openGateway } from "./world.ts";

const ECHO = fileURLToPath(new URL("../fixtures/echo-server.cjs", import.meta.url));
const CONFIG = {
  mcpServers: { it: { command: process.execPath, args: [ECHO] } },
  permissions: { allow: ["it/*"] },
  toolSearch: "off",
  includeTools: ["it"],
};
const PARAMS = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "lines", version: "1" } };
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const ECHOED = { content: [{ type: "text", text: "hi" }] };

async function world(config: object = CONFIG) {
  const { gateway, crib } = await openGateway(config);
  const client = createLineClient();
  const served = gateway.serveStdio(client, mainProfile());
  return { ...client, crib, gateway, served };
}

describe("a client on streams", () => {
  test("of the older protocol: handshake, tools, calls, and nothing left when it ends", async () => {
    const { request, send, input, served, crib } = await world();
    expect(await request(1, "tools/list")).toMatchObject({ error: { message: "initialize first" } });
    expect(await request("i", "initialize", PARAMS)).toMatchObject({
      result: { protocolVersion: "2025-11-25", serverInfo: { name: "toolcrib" } },
    });
    send({ jsonrpc: "2.0", method: "notifications/initialized" });
    expect(JSON.stringify(await request(2, "tools/list"))).toContain('"it__echo"');
    const call = { name: "it__echo", arguments: { text: "hi" } };
    expect(await request(3, "tools/call", call)).toMatchObject({ result: ECHOED });
    expect(await request(4, "initialize", PARAMS)).toMatchObject({ error: { code: -32600 } });
    input.end();
    await served;
    expect(crib.views).toEqual([]);
  });

  test("need not wait for the answer to its handshake before it goes on", async () => {
    const { send, next, received, input, served, crib } = await world();
    send({ jsonrpc: "2.0", id: "i", method: "initialize", params: PARAMS });
    send({ jsonrpc: "2.0", method: "notifications/initialized" });
    send({ jsonrpc: "2.0", id: "again", method: "initialize", params: PARAMS });
    send({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    expect(await next(({ id }) => id === 1)).toMatchObject({ result: { tools: expect.anything() } });
    expect(received.map(({ id }) => id)).toEqual(expect.arrayContaining(["i", "again"]));
    expect(received.find(({ id }) => id === "again")).toMatchObject({ error: { code: -32600 } });
    expect(crib.views).toHaveLength(1);
    input.end();
    await served;
    expect(crib.views).toEqual([]);
  });

  test("that leaves right behind its handshake is answered, and nothing of it is left", async () => {
    const { send, next, input, served, crib } = await world();
    send({ jsonrpc: "2.0", id: "i", method: "initialize", params: PARAMS });
    input.end();
    await served;
    expect(await next(({ id }) => id === "i")).toMatchObject({ result: { serverInfo: { name: "toolcrib" } } });
    expect(crib.views).toEqual([]);
  });

  test("of the newer protocol: discovery, calls, and changes that it listens to until it says otherwise", async () => {
    const { request, send, next, received, input, served, crib } = await world();
    expect(await request(1, "server/discover", { _meta: META })).toMatchObject({
      result: { supportedVersions: ["2026-07-28"], resultType: "complete", cacheScope: "private" },
    });
    await request(2, "tools/list", { _meta: META });
    send({
      jsonrpc: "2.0",
      id: "changes",
      method: "subscriptions/listen",
      params: { notifications: { toolsListChanged: true, promptsListChanged: false }, _meta: META },
    });
    const tag = { _meta: { "io.modelcontextprotocol/subscriptionId": "changes" } };
    expect(await next(({ method }) => method === "notifications/subscriptions/acknowledged")).toMatchObject({
      params: { notifications: { toolsListChanged: true }, ...tag },
    });
    const change = { name: "it__change", arguments: {}, _meta: META };
    expect(await request(3, "tools/call", change)).toMatchObject({ result: { resultType: "complete" } });
    expect(await next(({ method }) => method === "notifications/tools/list_changed")).toMatchObject({ params: tag });
    send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "changes" } });
    received.length = 0;
    const described = async () => JSON.stringify(await request(9, "tools/list", { _meta: META }));
    await request(4, "tools/call", change);
    await vi.waitFor(async () => expect(await described()).toContain("and again and again"), { timeout: 20_000 });
    expect(received).toEqual([]);
    input.end();
    await served;
    expect(crib.views).toEqual([]);
  });

  test("hears what is wrong with a line, and goes on", async () => {
    const { request, input, next } = await world();
    await request(0, "initialize", PARAMS);
    input.write("not json\n");
    expect(await next(({ error }) => error !== undefined)).toMatchObject({ id: null, error: { code: -32700 } });
    input.write("[]\n\n");
    input.write('{"jsonrpc":"2.0","id":{},"method":"ping"}\n');
    expect(await request(1, "ping")).toMatchObject({ result: {} });
    expect(await request(2, "no/such")).toMatchObject({ error: { code: -32601 } });
    expect(await request(3, "tools/call", { name: "nothing" })).toMatchObject({ error: { code: -32602 } });
  });

  test("gets no answer to what it took back", async () => {
    const { request, send, received, crib } = await world();
    await request(0, "initialize", PARAMS);
    await request(1, "tools/list");
    const ended = new Promise<void>((resolve) => {
      crib.views[0]?.session.on("tool.running", () =>
        send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "w" } }),
      );
      crib.views[0]?.session.on("tool.execution_complete", () => resolve());
    });
    send({ jsonrpc: "2.0", id: "w", method: "tools/call", params: { name: "it__wait", arguments: {} } });
    await ended;
    await request(2, "ping");
    expect(received.filter(({ id }) => id === "w")).toEqual([]);
  });

  test("finds its server running again by itself after it was killed, in the same session", async () => {
    const { request } = await world();
    await request(0, "initialize", PARAMS);
    await request(1, "tools/list");
    const call = async (id: string, name: string, args = {}) =>
      JSON.stringify(await request(id, "tools/call", { name, arguments: args }));
    const before = await call("a", "it__pid");
    expect(await call("b", "it__exit")).toContain('"isError":true');
    await vi.waitFor(async () => expect(await call("c", "it__echo", { text: "hi" })).toContain('"hi"'), {
      timeout: 25_000,
    });
    const after = await call("d", "it__pid");
    expect(after).not.toContain("isError");
    expect(after).not.toBe(before.replace('"a"', '"d"'));
  });
});
