import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createConnectAttempts } from "../../src/runtime/credentials/connect-attempts.ts";
import { createConnectLinks } from "../../src/runtime/credentials/connect-links.ts";
import { createUpstreamClients } from "../../src/runtime/credentials/upstream-clients.ts";
import { createSealer } from "../../src/runtime/people/sealer.ts";
import { createStore } from "../../src/runtime/store/create-store.ts";
import { createMemoryBackEnd } from "../../src/runtime/store/memory-back-end.ts";
import { createMemoryTables } from "../../src/runtime/store/memory-tables.ts";

const ALICE = { issuer: "https://idp.example", subject: "alice" };
const BOB = { issuer: "https://idp.example", subject: "bob" };
const MINUTE = 60_000;

test("a link is for one person, once, for ten minutes, on any machine; it says nothing about them (O12)", async () => {
  const { links, at } = prepare();
  const [here, there] = [links(), links()];
  const { address } = await here.make(ALICE, "github");
  const token = /^https:\/\/tools\.example\.com\/connect\/([\w-]{43})$/.exec(address)?.[1] ?? "";
  expect(await there.find(token)).toMatchObject({ person: ALICE, server: "github" });
  expect(await there.use(token, BOB)).toBeNull();
  expect(await there.use(token, ALICE)).toMatchObject({ server: "github" });
  expect(await here.use(token, ALICE)).toBeNull();
  expect(await here.find(token)).toBeNull();
  const another = (await here.make(ALICE, "github")).address.split("/").at(-1) ?? "";
  expect(another).not.toBe(token);
  at.now += 10 * MINUTE;
  expect([await here.find(another), await here.use(another, ALICE)]).toEqual([null, null]);
});

test("who asks again soon gets the same link, and nobody gets another person's", async () => {
  const { links, at, dump } = prepare();
  const here = links();
  const first = await here.make(ALICE, "github");
  expect((await here.make(ALICE, "github")).address).toBe(first.address);
  expect((await here.make(BOB, "github")).address).not.toBe(first.address);
  expect((await here.make(ALICE, "jira")).address).not.toBe(first.address);
  at.now += 6 * MINUTE;
  expect((await here.make(ALICE, "github")).address).not.toBe(first.address);
  expect(dump()).not.toContain(first.address.split("/").at(-1));
});

test("a login that was begun is finished by who began it, in the same browser, once, by any machine (O12)", async () => {
  const { attempts, at } = prepare();
  const [here, there] = [attempts(), attempts()];
  const own = { person: ALICE, browser: "browser-1" };
  await here.begin("state-1", { ...own, server: "github", pending: PENDING });
  expect(await there.take("state-2", own)).toEqual({ kind: "unknown" });
  expect(await there.take("state-1", { ...own, person: BOB })).toEqual({
    ...{ kind: "another's", owner: ALICE, server: "github" },
  });
  expect(await there.take("state-1", { ...own, browser: "browser-2" })).toEqual({ kind: "unknown" });
  expect(await there.take("state-1", own)).toEqual({ kind: "own", server: "github", pending: PENDING });
  expect(await here.take("state-1", own)).toEqual({ kind: "unknown" });
  await here.begin("state-3", { ...own, server: "github", pending: PENDING });
  at.now += 10 * MINUTE;
  expect(await there.take("state-3", own)).toEqual({ kind: "unknown" });
});

test("what is stored of a login on its way helps nobody: no state, verifier or secret, and no key, no login (O11)", async () => {
  const { attempts, clients, dump, otherKey } = prepare();
  const own = { person: ALICE, browser: "browser-canary" };
  await attempts().begin("state-canary", { ...own, server: "github", pending: PENDING });
  const registrations = clients()(new URL("https://mcp.example/mcp"));
  await registrations.keep("https://as.example", "https://back.example", PENDING);
  for (const secret of ["canary", PENDING.verifier, PENDING.clientSecret ?? ""]) expect(dump()).not.toContain(secret);
  expect(await attempts(otherKey).take("state-canary", own)).toEqual({ kind: "unknown" });
  expect(
    await clients(otherKey)(new URL("https://mcp.example")).find("https://as.example", "https://back.example"),
  ).toBeNull();
});

test("a client registered at an authorization server is kept for a day, for that server and address alone", async () => {
  const { clients, at } = prepare();
  const place = ["https://as.example", "https://back.example"] as const;
  const of = (server: string) => clients()(new URL(server)).find(...place);
  await clients()(new URL("https://mcp.example/mcp")).keep(...place, { clientId: "c", clientSecret: "s" });
  expect(await of("https://mcp.example/other")).toEqual({ clientId: "c", clientSecret: "s" });
  expect(await of("https://evil.example/mcp")).toBeNull();
  expect(await clients()(new URL("https://mcp.example")).find("https://other.example", place[1])).toBeNull();
  at.now += 24 * 60 * MINUTE;
  expect(await of("https://mcp.example")).toBeNull();
});

const PENDING = {
  ...{ url: "https://mcp.example/mcp", issuer: "https://as.example", tokenEndpoint: "https://as.example/token" },
  ...{ authMethods: [], revocation: null, namesItself: true, resource: null, redirect: "https://back.example" },
  ...{ clientId: "c", clientSecret: "client-secret-0123456789", verifier: "verifier-0123456789" },
};

function prepare() {
  const tables = createMemoryTables();
  const at = { now: Date.now() };
  const now = () => at.now;
  const place = () => ({ store: createStore(createMemoryBackEnd(tables)), scope: "people" });
  const sealer = createSealer([randomBytes(32)]);
  return {
    at,
    otherKey: createSealer([randomBytes(32)]),
    links: () => createConnectLinks({ place: place(), publicUrl: "https://tools.example.com", now }),
    attempts: (by = sealer) => createConnectAttempts(place(), by, now),
    clients: (by = sealer) => createUpstreamClients(place(), by, now),
    /** Everything that is stored. */
    dump: () =>
      JSON.stringify(tables, (_, value) =>
        value instanceof Map ? [...value] : value instanceof Set ? [...value] : value,
      ),
  };
}
