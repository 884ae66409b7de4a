import { join } from "node:path";
import { expect, test } from "vitest";
import { personProfile } from "../../src/runtime/crib/profile.ts";
import { type Answered, createWanderer } from "../gateway/machines.ts";
import { makeStore } from "../support/people-stores.ts";
import { untilHolds } from "../support/poll.ts";
import { giveTokens, openPeopleGateway, type PeopleWorld } from "./world.ts";

const ECHO = join(import.meta.dirname, "../fixtures/echo-server.cjs");
const server = { command: process.execPath, args: [ECHO] };
const CONFIG = { mcpServers: { red: server, blue: server }, permissions: { allow: ["*"] }, toolSearch: "off" };
const KEYS = { keys: [Buffer.alloc(32, 7).toString("base64")] };

/** Machines with one store, on which everybody gets all tools within these limits. */
async function openMachines(count: number, limits: readonly object[], more: object = {}): Promise<PeopleWorld[]> {
  const { open } = await makeStore("memory");
  const machines: PeopleWorld[] = [];
  for (let at = 0; at < count; at += 1)
    machines.push(await openPeopleGateway(settingsOf(limits, more), { config: CONFIG, store: await open() }));
  return machines;
}

function settingsOf(limits: readonly object[], more: object = {}) {
  const people = [
    { everybody: true, profile: "all" },
    { group: ["eng"], profile: "engineers" },
  ];
  return { limits, profiles: { all: {}, engineers: {}, ...more }, auth: { ...KEYS, people } };
}

const ALICE = {
  ...{ issuer: "https://idp.example.com", subject: "alice", client: null },
  ...{ groups: [], claims: [], name: null, email: null },
};

interface Who {
  readonly subject?: string;
  readonly groups?: readonly string[];
  readonly client?: string;
}

async function clientOf(world: PeopleWorld, who: Who = {}) {
  const tokens = await giveTokens(world, { groups: [], ...who });
  const client = createWanderer(tokens.accessToken);
  await client.initialize(`${world.door.origin}/mcp`);
  const call = (name = "red__echo", args: object = { text: "said" }): Promise<Answered> =>
    client.request(`${world.door.origin}/mcp`, "tools/call", { name, arguments: args });
  return { client, call };
}

function textOf(answer: Answered): string {
  const { content } = answer.result as { content: readonly { readonly text: string }[] };
  return content.map(({ text }) => text).join("\n");
}

/** How many of so many calls one after the other ran. */
async function countRun(call: () => Promise<Answered>, times: number): Promise<number> {
  let ran = 0;
  for (let at = 0; at < times; at += 1) ran += textOf(await call()).startsWith("said") ? 1 : 0;
  return ran;
}

test("a person's calls end at the limit, with words that a model can act on; nobody else's do", async () => {
  const [world] = await openMachines(1, [{ calls: 3, per: "month" }]);
  if (world === undefined) throw new Error("it is there");
  const alice = await clientOf(world);
  expect(await countRun(alice.call, 3)).toBe(3);
  const refused = await alice.call();
  expect(textOf(refused)).toMatch(
    /^The call did not run: the limit of 3 calls a month for each person \(.*:1\) is reached\. It begins again at \d{4}-\d\d-01T00:00:00Z, in \d+ (days|hours|minutes|s); do not repeat the call before that\. \[limit\.reached\]$/,
  );
  expect(refused.result).toMatchObject({ isError: true, _meta: { "toolcrib/code": "limit.reached" } });
  // The same person with another client has the same amount, another person their own.
  const elsewhere = await clientOf(world, { client: "https://vscode.dev/client.json" });
  expect(await countRun(elsewhere.call, 1)).toBe(0);
  const bob = await clientOf(world, { subject: "bob" });
  expect(await countRun(bob.call, 5)).toBe(3);
});

test("three machines give one person together what the limit says, and one that restarts does not forget", async () => {
  const limits = [{ calls: 20, per: "month" }];
  const { open } = await makeStore("sqlite");
  const start = async () => openPeopleGateway(settingsOf(limits), { config: CONFIG, store: await open() });
  const machines = [await start(), await start(), await start()];
  const clients = await Promise.all(machines.map((machine) => clientOf(machine)));
  let ran = 0;
  for (let at = 0; at < 30; at += 1) ran += await countRun(clients[at % 3]?.call ?? (() => Promise.reject()), 1);
  // A limit below 50 calls is never passed, and what is set aside elsewhere comes back within seconds.
  expect(ran).toBeLessThanOrEqual(20);
  const last = clients[0]?.call;
  if (last === undefined) throw new Error("it is there");
  await untilHolds(async () => {
    ran += await countRun(last, 1);
    return ran === 20;
  });
  expect(await countRun(last, 3)).toBe(0);
  const again = await clientOf(await start());
  expect(await countRun(again.call, 3)).toBe(0);
}, 60_000);

test("calls at once are counted over all machines, and end with their calls", async () => {
  const [one, two] = await openMachines(2, [{ atOnce: 2, server: "red" }]);
  if (one === undefined || two === undefined) throw new Error("they are there");
  const [first, second] = [await clientOf(one), await clientOf(two)];
  const waiting = Promise.allSettled([first.call("red__wait", {}), second.call("red__wait", {})]);
  // Calls of one session wait for each other, so others of the same person look.
  const [here, there] = [await clientOf(one), await clientOf(two)];
  await untilHolds(async () => (await two.crib.limits.usage(personProfile(two.crib.config, ALICE)))[0]?.used === 2);
  expect(textOf(await here.call())).toContain("limit.reached");
  expect(textOf(await there.call())).toMatch(/2 calls at once for each person, about server red .* Wait for a call/);
  // A server that the limit is not about is free.
  expect(await countRun(() => here.call("blue__echo"), 1)).toBe(1);
  await first.client.end(`${one.door.origin}/mcp`);
  await untilHolds(async () => (await countRun(there.call, 1)) === 1);
  await second.client.end(`${two.door.origin}/mcp`);
  await waiting;
}, 60_000);

test("tokens of results, tools, people groups and profiles: each limit is about its own calls, and all count", async () => {
  const [world] = await openMachines(
    1,
    [
      { tokens: 20, per: "month", tools: ["blue/echo"] },
      { calls: 4, per: "month", each: ["group"], group: ["eng", "sales"] },
    ],
    { engineers: { limits: [{ calls: 1, per: "month", each: ["person", "tool"], tools: ["red/pid"] }] } },
  );
  if (world === undefined) throw new Error("it is there");
  const long = await clientOf(world);
  const said = { text: `said ${"x".repeat(100)}` };
  // How long a result will be nobody knows before.
  expect(textOf(await long.call("blue__echo", said))).toBe(said.text);
  expect(textOf(await long.call("blue__echo", said))).toContain(
    "20 tokens of results a month for each person, about blue/echo",
  );
  expect(await countRun(long.call, 6)).toBe(6);

  const ann = await clientOf(world, { subject: "ann", groups: ["eng"] });
  const ben = await clientOf(world, { subject: "ben", groups: ["eng"] });
  expect(textOf(await ann.call("red__pid", {}))).toMatch(/^\d+$/);
  expect(textOf(await ann.call("red__pid", {}))).toContain("1 call a month for each person and tool");
  expect(textOf(await ben.call("red__pid", {}))).toMatch(/^\d+$/);
  // Two of the four of their group are gone.
  expect((await countRun(ann.call, 1)) + (await countRun(ben.call, 5))).toBe(2);
  expect(textOf(await ben.call())).toContain("4 calls a month for each people group, about people group eng or sales");
  const sal = await clientOf(world, { subject: "sal", groups: ["sales"] });
  expect(await countRun(sal.call, 6)).toBe(4);
});

test("a soft limit refuses nothing, and says once that it was passed", async () => {
  const [world] = await openMachines(1, [{ calls: 2, per: "month", soft: true }]);
  if (world === undefined) throw new Error("it is there");
  const { call } = await clientOf(world);
  const texts: string[] = [];
  await untilHolds(async () => {
    texts.push(textOf(await call()));
    return texts.at(-1)?.includes("is passed") === true;
  });
  expect(texts.every((text) => text.startsWith("said"))).toBe(true);
  expect(texts.at(-1)).toContain("The limit of 2 calls a month for each person");
  expect(await countRun(call, 3)).toBe(3);
  expect(world.passed).toHaveLength(1);
  expect(world.passed[0]).toContain("alice@idp.example.com");
});

test("limits that are added, raised or taken away count at once, with what was used before", async () => {
  const [world] = await openMachines(1, [{ calls: 2, per: "month" }]);
  if (world === undefined) throw new Error("it is there");
  const { call } = await clientOf(world);
  expect(await countRun(call, 3)).toBe(2);
  await world.reload(settingsOf([{ calls: 5, per: "month" }]));
  expect(await countRun(call, 6)).toBe(3);
  await world.reload(settingsOf([]));
  expect(await countRun(call, 3)).toBe(3);
});

test("what a machine had set aside is not used up by a change of the limit", async () => {
  const [world] = await openMachines(1, [{ calls: 100, per: "month" }]);
  if (world === undefined) throw new Error("it is there");
  const { call } = await clientOf(world);
  let ran = await countRun(call, 10);
  for (const calls of [102, 103, 104]) {
    await world.reload(settingsOf([{ calls, per: "month" }]));
    ran += await countRun(call, 5);
  }
  expect(await countRun(call, 104)).toBe(104 - ran);
}, 60_000);

test("calls that run already count against another limit of calls at once", async () => {
  const [world] = await openMachines(1, [{ atOnce: 2, server: "red" }]);
  if (world === undefined) throw new Error("it is there");
  const used = async () => (await world.crib.limits.usage(personProfile(world.crib.config, ALICE)))[0]?.used;
  const clients = await Promise.all(Array.from({ length: 5 }, () => clientOf(world)));
  const [one, two, three, four] = clients;
  const waiting = [one?.call("red__wait", {}), two?.call("red__wait", {})];
  await untilHolds(async () => (await used()) === 2);
  await world.reload(settingsOf([{ atOnce: 3, server: "red" }]));
  waiting.push(three?.call("red__wait", {}));
  await untilHolds(async () => (await used()) === 3);
  expect(textOf((await four?.call("red__echo")) as Answered)).toContain("limit.reached");
  await world.reload(settingsOf([{ atOnce: 1, server: "red" }]));
  expect(textOf((await four?.call("red__echo")) as Answered)).toContain("limit.reached");
  for (const { client } of clients) await client.end(`${world.door.origin}/mcp`);
  await Promise.allSettled(waiting);
}, 60_000);

test("with the store away a hard limit refuses once its share is used, and a soft one does not", async () => {
  const { open } = await makeStore("memory");
  const store = await open();
  const away = { now: false };
  const broken = Object.create(store, {
    keyValues: {
      value: (place: Parameters<typeof store.keyValues>[0]) => {
        const values = store.keyValues(place);
        if (!place.name.startsWith("limits.")) return values;
        const change: typeof values.change = (...given) =>
          away.now ? Promise.reject(new Error("the store is away")) : values.change(...given);
        return { ...values, change };
      },
    },
  }) as typeof store;
  const limits = [
    { calls: 10, per: "month", server: "red" },
    { calls: 1, per: "month", server: "blue", soft: true },
  ];
  const world = await openPeopleGateway(settingsOf(limits), { config: CONFIG, store: broken });
  const { call } = await clientOf(world);
  expect(await countRun(call, 1)).toBe(1);
  away.now = true;
  const ran = await countRun(call, 8);
  expect(ran).toBeLessThan(8);
  expect(textOf(await call())).toMatch(/cannot be checked at the moment; try again later\. \[limit\.unknown\]$/);
  expect(await countRun(() => call("blue__echo"), 4)).toBe(4);
  away.now = false;
  await untilHolds(async () => (await countRun(call, 1)) === 1);
  expect(world.errors.some((text) => text.includes("could not be stored"))).toBe(true);
}, 30_000);
