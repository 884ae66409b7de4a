import { expect, test } from "vitest";
import { createStore } from "../store/create-store.ts";
import { createMemoryBackEnd } from "../store/memory-back-end.ts";
import { createMemoryTables } from "../store/memory-tables.ts";
import { createConsents, forgetConsents } from "./consents.ts";
import { createRegisteredClients } from "./registered-clients.ts";

const DAY = 86_400_000;

function open() {
  const tables = createMemoryTables();
  const clock = { now: 1_000_000 };
  const place = () => ({ store: createStore(createMemoryBackEnd(tables)), scope: "s" });
  const now = () => clock.now;
  return {
    ...{ tables, clock, place },
    clients: () => createRegisteredClients(place(), now),
    consents: () => createConsents(place(), now),
  };
}

const cursor = { name: "Cursor", redirects: ["http://localhost:8787/callback"], proof: "none" } as const;

test("a client that registered on one machine is known on another", async () => {
  const { clients } = open();
  const { id = "", secret } = (await clients().register(cursor)) ?? {};
  expect(secret).toBe(null);
  expect(await clients().find(id)).toEqual({ id, ...cursor });
  expect(await clients().isSecret(id, "")).toBe(false);
  expect(await clients().find("tcc_unknown")).toBe(null);
});

test("a confidential client shows a secret of which only a hash is stored", async () => {
  const { clients, tables } = open();
  const { id = "", secret } = (await clients().register({ ...cursor, proof: "client_secret_basic" })) ?? {};
  expect(await clients().isSecret(id, secret ?? "")).toBe(true);
  expect(await clients().isSecret(id, `${secret}x`)).toBe(false);
  expect(JSON.stringify([...tables.keyValues].map(([, rows]) => [...rows]))).not.toContain(secret);
});

test("a client that nobody used is forgotten after a day, a used one 30 days after its last use", async () => {
  const { clients, clock } = open();
  const [idle, used] = [await clients().register(cursor), await clients().register(cursor)];
  await clients().touch(used?.id ?? "");
  clock.now += DAY;
  expect(await clients().find(idle?.id ?? "")).toBe(null);
  clock.now += 28 * DAY;
  await clients().touch(used?.id ?? "");
  clock.now += 29 * DAY;
  expect(await clients().find(used?.id ?? "")).not.toBe(null);
  clock.now += DAY;
  expect(await clients().find(used?.id ?? "")).toBe(null);
});

test("there is an end to clients, and those that nobody used make room", async () => {
  const { clients, clock } = open();
  const known = clients();
  const used = await known.register(cursor);
  await known.touch(used?.id ?? "");
  for (let count = 1; count < 10_000; count++) await known.register(cursor);
  expect(await known.register(cursor)).toBe(null);
  expect(await clients().register(cursor)).toBe(null);
  clock.now += 600_000;
  expect(await known.register(cursor)).not.toBe(null);
  expect(await clients().find(used?.id ?? "")).not.toBe(null);
});

const alice = { issuer: "https://idp.example.com", subject: "alice" };
const claude = {
  id: "https://claude.ai/c.json",
  name: "Claude",
  redirects: ["https://claude.ai/cb", "https://b/"],
  host: "claude.ai",
};

test("consent is remembered for a person, a client as it was shown, and what was agreed to", async () => {
  const { consents, place } = open();
  await consents().remember(alice, claude, ["tools:read"]);
  const has = (more: object = {}, scopes = ["tools:read"], person = alice): Promise<boolean> =>
    consents().has(person, { ...claude, ...more }, scopes);
  expect(await has({ redirects: [...claude.redirects].reverse() })).toBe(true);
  expect(await has({}, ["tools:read", "tools:call"])).toBe(false);
  expect(await has({}, [], { ...alice, issuer: "https://other.example.com" })).toBe(false);
  // A document that was changed after the consent.
  expect(await has({ redirects: ["https://evil.example/cb"] })).toBe(false);
  expect(await has({ name: "Claude!" })).toBe(false);
  // The answer would go elsewhere.
  expect(await has({ host: "b" })).toBe(false);
  await forgetConsents(place(), alice, claude.id);
  expect(await has()).toBe(false);
});

test("a question is answered once, in time, and in the browser session that was asked", async () => {
  const { consents, clock } = open();
  const ticket = await consents().ask("b1", { a: 1 });
  expect(await consents().take(ticket, "b2")).toBe(null);
  expect(await consents().take(ticket, "b1")).toEqual({ a: 1 });
  expect(await consents().take(ticket, "b1")).toBe(null);
  const late = await consents().ask("b1", { a: 1 });
  clock.now += 600_000;
  expect(await consents().take(late, "b1")).toBe(null);
});
