import { expect, test, vi } from "vitest";
import { callModern, createWanderer } from "../gateway/machines.ts";
import { found, logIn, openUpstreamWorld } from "./upstream-world.ts";
import { giveTokens, PUBLIC_URL } from "./world.ts";

async function world(options: Parameters<Awaited<ReturnType<typeof openUpstreamWorld>>["start"]>[1] = {}) {
  const { upstreams, callers, start, first } = await openUpstreamWorld();
  const machine = await start(first, options);
  const open = async (subject: string, at = machine) => {
    const caller = found(callers.find((each) => each.subject === subject));
    const { accessToken } = await giveTokens(machine, caller);
    const client = createWanderer(accessToken);
    await client.initialize(at.url);
    const ask = async (method: string, params: object = {}) => (await client.request(at.url, method, params)).result;
    const names = async (): Promise<readonly string[]> =>
      (await ask("tools/list")).tools.map(({ name }: { name: string }) => name);
    const call = async (name: string, args: object = {}): Promise<string> =>
      (await ask("tools/call", { name, arguments: args })).content[0].text;
    return { client, caller, accessToken, ask, names, call };
  };
  return { upstreams, start, machine, open };
}

const ofServer = (names: readonly string[], server: string) => names.filter((name) => name.startsWith(`${server}__`));

test("before a login a list has what needs none, and one tool that starts a login, by its server (O12)", async () => {
  const { machine, open } = await world();
  const carla = await open("carla");
  const names = await carla.names();
  expect(ofServer(names, "own")).toEqual([]);
  expect(ofServer(names, "shared")).toContain("shared__recall");
  expect(ofServer(names, "signed")).toContain("signed__recall");
  const tool = (await carla.ask("tools/list")).tools.find(({ name }: { name: string }) => name === "log_in");
  expect(tool.inputSchema.properties.server.enum).toEqual(["own", "key"]);

  const text = await carla.call("log_in", { server: "own" });
  expect(text).toContain(`${PUBLIC_URL}/connect/`);
  expect(text).toContain("there is no login of theirs yet");
  const refused = await callModern(machine.url, {
    token: carla.accessToken,
    name: "log_in",
    args: { server: "shared" },
  });
  expect(refused.error.message).toBe("log_in needs the name of a server: own, key");
});

test("with a login the tool is gone and the person's own tools are there, whichever machine they log in at", async () => {
  const { start, machine, open, upstreams } = await world();
  const other = await start();
  const alice = await open("alice");
  expect(await alice.names()).toContain("log_in");
  await logIn(other, alice.caller, upstreams);
  await vi.waitUntil(async () => !(await alice.names()).includes("log_in"), 30_000);
  expect(await alice.names()).toContain(`own__own-${upstreams.own.secretOf("alice")}`);
  expect(await alice.names()).toContain(`key__own-${upstreams.key.secretOf("alice")}`);
  const boris = await open("boris");
  expect(ofServer(await boris.names(), "own")).toEqual([]);
  await machine.credentials.forget(alice.caller, "own");
  const text = await alice.call("own__recall");
  expect(text).toContain(`${PUBLIC_URL}/connect/`);
  expect(text).not.toContain("canary");
});

test("for another login a new session is opened, and nothing of the one before is in it", async () => {
  const { machine, open, upstreams } = await world();
  const alice = await open("alice");
  await logIn(machine, alice.caller, upstreams);
  await vi.waitUntil(async () => ofServer(await alice.names(), "own").length > 0, 30_000);
  expect(await alice.call("own__keep", { text: "for the first account" })).toContain("for the first account");
  await logIn(machine, alice.caller, upstreams, "alice-at-work");
  const listsNew = async () => (await alice.names()).includes(`own__own-${upstreams.own.secretOf("alice-at-work")}`);
  await vi.waitUntil(listsNew, 30_000);
  expect(JSON.parse(await alice.call("own__recall"))).toEqual([upstreams.own.secretOf("alice-at-work")]);
  expect(upstreams.own.crossed).toEqual([]);
});

test("a client that rests is told when its person has logged in, and another's is not", async () => {
  const { machine, open, upstreams } = await world({ only: "own", whole: 1 });
  const clients = [await open("alice"), await open("boris"), await open("carla")] as const;
  const heard: string[][] = [];
  for (const [at, { client, names }] of clients.entries()) {
    const own: string[] = [];
    heard[at] = own;
    const reader = ((await client.open(machine.url)).body as ReadableStream<Uint8Array>).getReader();
    const read = async (): Promise<void> => {
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        const text = new TextDecoder().decode(part.value);
        for (const [, method = ""] of text.matchAll(/"method":"([^"]+)"/g)) own.push(method);
      }
    };
    read().catch(() => {}); // It ends with the test.
    expect(await names()).toContain("log_in");
  }
  await vi.waitUntil(() => machine.crib.views.length === 1, 10_000);
  const { access, refresh } = upstreams.own.logIn("alice");
  await machine.credentials.loginStore(machine.serverOf("own"), clients[0].caller)?.write({
    ...{ url: upstreams.own.url, issuer: upstreams.own.origin, tokenEndpoint: `${upstreams.own.origin}/token` },
    ...{ authMethods: ["none"], revocation: null, resource: upstreams.own.url, clientId: "toolcrib" },
    ...{ clientSecret: null, access, refresh, expires: null },
  });
  await vi.waitUntil(() => heard[0]?.includes("notifications/tools/list_changed"), 10_000);
  expect(await clients[0].names()).toContain(`own__own-${upstreams.own.secretOf("alice")}`);
  expect([heard[1], heard[2]]).toEqual([[], []]);
});
