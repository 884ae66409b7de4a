import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { mainProfile, narrowProfile } from "../../src/runtime/crib/profile.ts";
import { createCluster, createWanderer } from "./machines.ts";
import type { GatewayWorld } from "./world.ts";

const ECHO = fileURLToPath(new URL("../fixtures/echo-server.cjs", import.meta.url));
const SERVER = { command: process.execPath, args: [ECHO] };
const CONFIG = { mcpServers: { it: SERVER }, builtins: "off", includeTools: ["it"], permissions: { allow: ["it/*"] } };
const PARAMS = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "one", version: "1" } };
const CHANGED = "notifications/tools/list_changed";

type Client = Awaited<ReturnType<typeof join>>;

/** A client that listens, and has listed its tools. */
async function join({ url }: Pick<GatewayWorld, "url">, token = "t") {
  const client = createWanderer(token);
  await client.initialize(url);
  const stream = await client.open(url);
  expect(stream.status).toBe(200);
  const heard: string[] = [];
  let isOpen = true;
  const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
  onTestFinished(() => reader.cancel().catch(() => {}));
  const decoder = new TextDecoder();
  void (async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read())
      for (const [, method = ""] of decoder.decode(part.value).matchAll(/"method":"([^"]+)"/g)) heard.push(method);
  })()
    .catch(() => {})
    .finally(() => {
      isOpen = false;
    });
  const list = async (): Promise<readonly string[]> => {
    const { result } = await client.request(url, "tools/list");
    return (result.tools as readonly { readonly name: string }[]).map(({ name }) => name);
  };
  const call = async (name: string, args: object = {}): Promise<string> => {
    const { result } = await client.request(url, "tools/call", { name, arguments: args });
    return result.content[0].text;
  };
  const names = await list();
  return { client, heard, list, call, names, isListening: () => isOpen };
}

async function joinMany(world: GatewayWorld, many: number, token = "t"): Promise<readonly Client[]> {
  await world.crib.main.settled(AbortSignal.timeout(30_000));
  const clients: Client[] = [];
  for (let at = 0; at < many; at += 1) clients.push(await join(world, token));
  return clients;
}

const views = ({ crib }: GatewayWorld) => expect.poll(() => crib.views.length, { timeout: 10_000 });

describe("of many clients, those that are silent longest are rows", () => {
  test("and nobody notices: each lists, calls and listens as before", async () => {
    const world = await createCluster(CONFIG, { gateway: { limits: { whole: 2 } } }).start();
    const clients = await joinMany(world, 6);
    await views(world).toBeLessThanOrEqual(2);
    expect(world.gateway.clients).toHaveLength(6);
    const ids = world.gateway.clients.map(({ sessionId }) => sessionId);
    for (const [at, { call, list, names }] of clients.entries()) {
      expect(await call("it__echo", { text: `from ${at}` })).toBe(`from ${at}`);
      expect(await list()).toEqual(names);
    }
    await views(world).toBeLessThanOrEqual(2);
    expect(world.gateway.clients.map(({ calls }) => calls)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(world.gateway.clients.map(({ sessionId }) => sessionId)).toEqual(ids);
    expect(clients.every(({ isListening }) => isListening())).toBe(true);
    expect(clients.flatMap(({ heard }) => heard)).toEqual([]);
    expect(world.errors).toEqual([]);
  });

  test("all calls at once wake each once, and no answer crosses", async () => {
    const world = await createCluster(CONFIG, { gateway: { limits: { whole: 1 } } }).start();
    const clients = await joinMany(world, 5);
    await views(world).toBeLessThanOrEqual(1);
    const said = await Promise.all(
      clients.flatMap(({ call }, at) => [1, 2, 3].map((turn) => call("it__echo", { text: `${at} ${turn}` }))),
    );
    expect(said).toEqual(clients.flatMap((_, at) => [1, 2, 3].map((turn) => `${at} ${turn}`)));
    expect(world.errors).toEqual([]);
  });

  test("a change of tools reaches each that it concerns, once", async () => {
    const narrow = narrowProfile(mainProfile("narrow"), { exclude: ["it/echo"] });
    const cluster = createCluster(CONFIG, {
      gateway: { limits: { whole: 1 } },
      profileOf: (token) => (token === "narrow" ? narrow : mainProfile()),
    });
    const world = await cluster.start();
    const clients = await joinMany(world, 4);
    const narrowed = await joinMany(world, 2, "narrow");
    const last = await join(world);
    await views(world).toBeLessThanOrEqual(1);
    await last.call("it__change");
    for (const { heard } of clients)
      await expect.poll(() => heard.filter((one) => one === CHANGED), { timeout: 10_000 }).toEqual([CHANGED]);
    // Those that woke to look see what the others were told.
    for (const { list, names } of clients) expect(await list()).toEqual(names);
    await last.call("it__change");
    for (const { heard } of clients)
      await expect.poll(() => heard.filter((one) => one === CHANGED), { timeout: 10_000 }).toEqual([CHANGED, CHANGED]);
    expect(narrowed.flatMap(({ heard }) => heard)).toEqual([]);
  });

  test("another configuration counts for one that rested meanwhile", async () => {
    const world = await createCluster(CONFIG, { gateway: { limits: { whole: 1 } } }).start();
    const [first, ...others] = await joinMany(world, 3);
    await views(world).toBeLessThanOrEqual(1);
    expect(first?.names).toContain("it__echo");
    await world.reload({ ...CONFIG, excludeTools: ["it/echo"] });
    await expect.poll(() => first?.heard, { timeout: 10_000 }).toContain(CHANGED);
    expect(await first?.list()).not.toContain("it__echo");
    expect(await others[0]?.list()).not.toContain("it__echo");
  });

  test("one that never asked for tools is no reason to tell the others of any", async () => {
    const world = await createCluster(CONFIG, { gateway: { limits: { whole: 1 } } }).start();
    const silent = createWanderer();
    await silent.initialize(world.url);
    const clients = await joinMany(world, 3);
    await views(world).toBeLessThanOrEqual(1);
    const awake = () => world.crib.views.map(({ session }) => session.id).join();
    const before = awake();
    await world.reload({ ...CONFIG, permissions: { allow: ["it/*"], ask: ["other/*"] } });
    await expect.poll(awake, { timeout: 10_000 }).not.toBe(before);
    expect((await silent.request(world.url, "ping")).status).toBe(200);
    for (const { call } of clients) await call("it__echo", { text: "still here" });
    expect(clients.flatMap(({ heard }) => heard)).toEqual([]);
  });

  test("one that ends while it listens takes no place of others from then on", async () => {
    const world = await createCluster(CONFIG, { gateway: { limits: { whole: 3 } } }).start();
    for (const gone of await joinMany(world, 3)) {
      await gone.client.end(world.url);
      await expect.poll(() => gone.isListening(), { timeout: 10_000 }).toBe(false);
    }
    await views(world).toBe(0);
    const clients = await joinMany(world, 3);
    for (const { call } of clients) await call("it__echo", { text: "all of us are held whole" });
    expect(world.crib.views).toHaveLength(3);
  });

  test("one that ends while it rests is gone, and its stream with it", async () => {
    const world = await createCluster(CONFIG, { gateway: { limits: { whole: 1 } } }).start();
    const [first, second, third] = await joinMany(world, 3);
    await views(world).toBeLessThanOrEqual(1);
    await first?.client.end(world.url);
    await expect.poll(() => first?.isListening(), { timeout: 10_000 }).toBe(false);
    expect((await first?.client.request(world.url, "tools/list"))?.status).toBe(404);
    await world.gateway.endOf(() => true);
    await expect.poll(() => [second, third].some((one) => one?.isListening()), { timeout: 10_000 }).toBe(false);
    expect(world.gateway.clients).toEqual([]);
  });
});

describe("what would be lost keeps a client whole", () => {
  const kept = async (config: object) => {
    const world = await createCluster({ ...CONFIG, ...config }, { gateway: { limits: { whole: 1 } } }).start();
    const clients = await joinMany(world, 3);
    return { world, clients };
  };

  test("a server of its own, which would end with it", async () => {
    const { world, clients } = await kept({ mcpServers: { it: { ...SERVER, isolation: "client" } } });
    const pids = await Promise.all(clients.map(({ call }) => call("it__pid")));
    expect(new Set(pids).size).toBe(3);
    expect(await Promise.all(clients.map(({ call }) => call("it__pid")))).toEqual(pids);
    expect(world.crib.views).toHaveLength(3);
  });

  test("built-in tools that hold something, such as a command in the background", async () => {
    const { world } = await kept({ builtins: "all", includeTools: ["*"] });
    expect(world.crib.views).toHaveLength(3);
  });

  test("a call that runs", async () => {
    const { world, clients } = await kept({});
    const waiting = clients.map(({ client }) => client.request(world.url, "tools/call", { name: "it__wait" }));
    await views(world).toBe(3);
    await world.gateway.endOf(() => true);
    await Promise.allSettled(waiting);
  });
});

test("how many clients there may be is a setting, which counts at once", async () => {
  const config = (perToken: number) => ({ ...CONFIG, gateway: { capacity: { perToken } } });
  const world = await createCluster(config(2)).start();
  await joinMany(world, 2);
  const third = createWanderer();
  expect((await third.request(world.url, "initialize", PARAMS)).status).toBe(503);
  await world.reload(config(3));
  expect((await third.request(world.url, "initialize", PARAMS)).status).toBe(200);
});
