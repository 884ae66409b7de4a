import { request } from "node:http";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { mainProfile } from "../../src/runtime/crib/profile.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { rounds } from "../support/rounds.ts";
import { createLineClient } from "./clients.ts";
import { openGateway } from "./world.ts";

const ECHO = fileURLToPath(new URL("../fixtures/echo-server.cjs", import.meta.url));
const CONFIG = {
  mcpServers: { it: { command: process.execPath, args: [ECHO] } },
  includeTools: ["it"],
  permissions: { allow: ["it/*"] },
};
const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const PARAMS = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "one of many", version: "1" } };

const post = async (url: string, body: object, headers: Record<string, string> = {}) => {
  const answer = await fetch(url, { method: "POST", headers: { ...HEADERS, ...headers }, body: JSON.stringify(body) });
  return { session: answer.headers.get("mcp-session-id") ?? "", text: await answer.text() };
};

const CALLS = rounds(200, 20);
const LEAVING = rounds(1_000, 100);

test("50 clients with equal request ids over many calls: no answer crosses, over HTTP of both eras and streams", async () => {
  const { url, gateway, crib } = await openGateway(CONFIG);
  const echo = (text: string) => ({ name: "it__echo", arguments: { text } });
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const modern = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "it__echo" };
  const wrong: string[] = [];
  const check = (text: string, id: number, said: string) => {
    // An answer that takes long becomes a stream, so that nobody takes the silence for death.
    const { id: answered, result } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
    if (answered !== id || result?.content?.[0]?.text !== said) wrong.push(`${said}: ${text}`);
  };
  const overLines = async (client: number) => {
    const { input, output, request, send } = createLineClient();
    const served = gateway.serveStdio({ input, output }, mainProfile());
    await request(0, "initialize", PARAMS);
    send({ jsonrpc: "2.0", method: "notifications/initialized" });
    const calls = Array.from({ length: CALLS }, (_, at) => at + 1).map(async (id) => {
      const said = `lines ${client} ${id}`;
      check(JSON.stringify(await request(id, "tools/call", echo(said))), id, said);
    });
    await Promise.all(calls);
    input.end();
    await served;
  };
  const overHttp = async (client: number, era: "legacy" | "modern") => {
    const { session } =
      era === "legacy"
        ? await post(url, { jsonrpc: "2.0", id: 0, method: "initialize", params: PARAMS })
        : { session: "" };
    const headers: Record<string, string> = era === "legacy" ? { "mcp-session-id": session } : modern;
    const at = async (id: number) => {
      const said = `${era} ${client} ${id}`;
      const params = era === "legacy" ? echo(said) : { ...echo(said), _meta: meta };
      check((await post(url, { jsonrpc: "2.0", id, method: "tools/call", params }, headers)).text, id, said);
    };
    for (let id = 1; id <= CALLS; id += 4) await Promise.all([at(id), at(id + 1), at(id + 2), at(id + 3)]);
  };
  await crib.main.settled(AbortSignal.timeout(30_000));
  await Promise.all(
    Array.from({ length: 50 }, (_, client) => {
      if (client % 5 === 0) return overHttp(client, "modern");
      return client % 5 === 1 ? overHttp(client, "legacy") : overLines(client);
    }),
  );
  expect(wrong).toEqual([]);
});

test("one token has at most 256 clients at a time, also when more come at once; the silent ones make room", async () => {
  const { url, crib, gateway } = await openGateway({ ...CONFIG, mcpServers: {} });
  const open = async () => (await post(url, { jsonrpc: "2.0", id: 0, method: "initialize", params: PARAMS })).session;
  const ping = (session: string) =>
    fetch(url, {
      method: "POST",
      headers: { ...HEADERS, "mcp-session-id": session },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
    });
  const listening = await open();
  const stream = await fetch(url, { headers: { accept: "text/event-stream", "mcp-session-id": listening } });
  const first = await open();
  const later: string[] = [];
  for (let round = 0; round < 6; round++) later.push(...(await Promise.all(Array.from({ length: 50 }, open))));
  expect(gateway.clients.length).toBeLessThanOrEqual(256);
  expect(crib.views.length).toBeLessThanOrEqual(256);
  expect((await ping(first)).status).toBe(404);
  expect((await ping(listening)).status).toBe(200);
  expect((await ping(later.at(-1) ?? "")).status).toBe(200);
  await stream.body?.cancel();
});

test("streams of clients without sessions count as clients, and one that ends makes room", async () => {
  const { url } = await openGateway({ ...CONFIG, mcpServers: {} }, { gateway: { limits: { sessionsEach: 3 } } });
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const ask = (method: string, params: object) =>
    fetch(url, {
      method: "POST",
      headers: { ...HEADERS, "mcp-protocol-version": "2026-07-28", "mcp-method": method },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } }),
    });
  const listen = () => ask("subscriptions/listen", { notifications: { toolsListChanged: true } });
  const [first, second] = [await listen(), await listen()];
  expect([first.status, second.status]).toEqual([200, 200]);
  const third = await listen();
  expect([third.status, await third.text()]).toEqual([503, expect.stringContaining("too many clients")]);
  // Who only asks is let in all the same.
  const list = await ask("tools/list", {});
  expect([list.status, await list.text()]).toEqual([200, expect.stringContaining('"tools"')]);
  await first.body?.cancel();
  await expect.poll(async () => (await listen()).status).toBe(200);
  await second.body?.cancel();
});

test("large messages that come at once wait for each other, and all are answered; unfinished ones hold nobody up", async () => {
  const { url } = await openGateway({ ...CONFIG, mcpServers: {} });
  const { hostname, port } = new URL(url);
  const unfinished = Array.from({ length: 10 }, () => {
    const sent = request({ hostname, port, path: "/mcp", method: "POST", headers: HEADERS });
    sent.on("error", () => {}).write(" ".repeat(3 * 1024 * 1024));
    return sent;
  });
  const ping = (padding: number) =>
    post(url, { jsonrpc: "2.0", id: 1, method: "ping", params: { padding: "x".repeat(padding) } });
  expect((await ping(100)).text).toContain("initialize");
  for (const each of unfinished) each.destroy();
  const answers = await Promise.all(Array.from({ length: 12 }, () => ping(3 * 1024 * 1024)));
  expect(answers.filter(({ text }) => !text.includes('"id":1'))).toEqual([]);
});

test("of clients that have been silent for a minute a few are kept, whosever they are, and those heard of last", async () => {
  const clock = createFakeClock();
  const { url, gateway } = await openGateway(
    { ...CONFIG, mcpServers: {} },
    { gateway: { clock, limits: { silentSessions: 2 } }, profileOf: (token) => mainProfile(token ?? "nobody") },
  );
  for (const token of ["a", "b", "c", "d"]) {
    await post(
      url,
      { jsonrpc: "2.0", id: 0, method: "initialize", params: PARAMS },
      { authorization: `Bearer ${token}` },
    );
    clock.advance(1_000);
  }
  expect(gateway.clients).toHaveLength(4);
  clock.advance(90_000);
  expect(gateway.clients.map(({ principal }) => principal)).toEqual(["c", "d"]);
});

test("clients that leave without a word: no view and no process of theirs is left after the idle time", async () => {
  const clock = createFakeClock();
  const { url, crib, gateway } = await openGateway(CONFIG, {
    gateway: { clock, limits: { idle: 60_000, sessionsEach: 1_000, silentSessions: 1_000 } },
  });
  await crib.main.settled(AbortSignal.timeout(30_000));
  const sources = crib.sources.length;
  for (let from = 0; from < LEAVING; from += 50)
    await Promise.all(
      Array.from({ length: 50 }, () => post(url, { jsonrpc: "2.0", id: 0, method: "initialize", params: PARAMS })),
    );
  expect(gateway.clients).toHaveLength(LEAVING);
  clock.advance(120_000);
  expect(gateway.clients).toEqual([]);
  await vi.waitFor(() => expect(crib.views).toEqual([]), { timeout: 30_000 });
  expect(crib.sources).toHaveLength(sources);
  expect(clock.pending).toEqual([]);
});
