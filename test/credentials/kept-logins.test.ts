import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { personKey } from "../../src/core/people/person.ts";
import type { Upstream } from "../../src/runtime/credentials/open-upstream.ts";
import { createStore } from "../../src/runtime/store/create-store.ts";
import { createMemoryBackEnd } from "../../src/runtime/store/memory-back-end.ts";
import { createMemoryTables } from "../../src/runtime/store/memory-tables.ts";
import type { Store } from "../../src/runtime/store/store.ts";
import { makeStore } from "../support/people-stores.ts";
import { caller, configOf, loginAt, serverOf, startMachine } from "./world.ts";

const [alice, bob] = [caller("alice"), caller("bob")];
const URL_A = "https://a.example.com/mcp";
const SERVERS = {
  a: { url: URL_A, credentials: "person" },
  b: { url: "https://b.example.com/mcp", credentials: "person" },
  keyed: { url: "https://k.example.com/mcp", credentials: { kind: "key", header: "x-api-key" } },
};
const ISSUER = "https://login.example.com";

async function openOne(servers: object = SERVERS, store: Store = createStore(createMemoryBackEnd())) {
  const config = await configOf(servers);
  const machine = await startMachine(store, config);
  return { config, machine, store, ...inside(machine, config) };
}

function inside({ credentials }: Upstream, config: Awaited<ReturnType<typeof configOf>>) {
  const storeOf = (server: string, person = alice) => {
    const kept = credentials.loginStore(serverOf(config, server), person);
    if (kept === null) throw new Error("its credentials are of another kind");
    return kept;
  };
  const stateOf = (server: string, person = alice) => credentials.of(serverOf(config, server), person).state();
  return { storeOf, stateOf };
}

const rowsOf = (store: Store, person = alice) =>
  store.keyValues({ name: "people.logins", person: personKey(person), project: "company" });

test("a login is kept for one person at one server, and for nobody else (O11)", async () => {
  const { storeOf, stateOf, machine } = await openOne();
  expect(await stateOf("a")).toEqual({ kind: "needs-login", reason: "there is no login of theirs yet" });
  await storeOf("a").write(loginAt(URL_A, ISSUER));
  expect(await storeOf("a").read()).toMatchObject({ access: "access-canary", refresh: "refresh-canary" });
  expect(await stateOf("a")).toEqual({ kind: "ready" });
  expect([await storeOf("b").read(), await storeOf("a", bob).read()]).toEqual([null, null]);
  expect(await machine.credentials.list(alice)).toMatchObject([{ server: "a", kind: "person", trouble: null }]);
  expect(await machine.credentials.list(bob)).toEqual([]);
});

test.each(["sqlite", "postgres"] as const)(
  "a dump of the database has no byte of a token or key (%s)",
  async (kind) => {
    const store = await (await makeStore(kind)).open();
    const { config, machine, storeOf } = await openOne(SERVERS, store);
    await storeOf("a").write(loginAt(URL_A, ISSUER, { clientSecret: "client-canary" }));
    await machine.credentials.putKey(serverOf(config, "keyed"), alice, "key-canary-123456");
    await machine.signing.current("ES256");
    const names = ["people.logins", "people.signing", "people.leases", "people.sealing"];
    const places = names.flatMap((name) =>
      ["", personKey(alice)].map((person) => ({ name, person, project: "company" })),
    );
    const all = await Promise.all(places.map(async (place) => [...(await store.keyValues(place).entries())]));
    const messages = await store.messages("credentials:company", 0);
    const dump = JSON.stringify([all, messages]);
    expect(dump).toContain("a.example.com");
    expect(dump).not.toMatch(/canary|"d":/);
  },
);

test("a row copied to another person or server, or changed in what it is bound to, does not open (O11)", async () => {
  const { store, config, storeOf } = await openOne();
  await storeOf("a").write(loginAt(URL_A, ISSUER));
  const row = (await rowsOf(store).get("a")) as Record<string, unknown>;
  await rowsOf(store, bob).change("a", () => row);
  await rowsOf(store).change("b", () => ({ ...row, origin: "https://b.example.com" }));
  // Others read it for the first time.
  const other = inside(await startMachine(store, config), config);
  expect(await other.storeOf("a", bob).read()).toBeNull();
  expect(await other.storeOf("b").read()).toBeNull();
  expect(await other.stateOf("a", bob)).toMatchObject({
    kind: "needs-login",
    reason: /another person, server or address/,
  });
  for (const change of [
    { issuer: "https://evil.example.com" },
    { clientId: "other" },
    { kind: "key" },
    { scope: "all" },
  ]) {
    await rowsOf(store).change("a", () => ({ ...row, ...change }));
    const again = inside(await startMachine(store, config), config);
    expect(await again.storeOf("a").read()).toBeNull();
  }
  await rowsOf(store).change("a", () => row);
  expect(
    await inside(await startMachine(store, config), config)
      .storeOf("a")
      .read(),
  ).not.toBeNull();
});

test("what is bound to an entry counts no more when the entry says otherwise, and the person is told why (O11)", async () => {
  const store = createStore(createMemoryBackEnd());
  const { storeOf } = await openOne({ a: { ...SERVERS.a, oauth: { clientId: "gateway", scope: "repo" } } }, store);
  await storeOf("a").write(loginAt(URL_A, ISSUER));
  for (const [entry, why] of [
    [{ url: "https://elsewhere.example.com/mcp" }, "the entry names another address now"],
    [{ oauth: { clientId: "another", scope: "repo" } }, "the entry names another client now (oauth.clientId)"],
    [{ oauth: { clientId: "gateway", scope: "repo user" } }, "the entry asks for other scopes now (oauth.scope)"],
    [{ credentials: "key" }, "the entry wants a key now"],
  ] as const) {
    const own = { a: { ...SERVERS.a, oauth: { clientId: "gateway", scope: "repo" }, ...entry } };
    const { stateOf } = await openOne(own, store);
    expect(await stateOf("a")).toMatchObject({ reason: why });
  }
  expect(await storeOf("a").read()).not.toBeNull();
});

test("a machine with another key says so at its start, and nothing of a login is lost (O11)", async () => {
  const store = createStore(createMemoryBackEnd());
  const { storeOf } = await openOne(SERVERS, store);
  await storeOf("a").write(loginAt(URL_A, ISSUER));
  const wrong = await configOf(SERVERS, { keys: [randomBytes(32).toString("base64")] });
  await expect(startMachine(store, wrong)).rejects.toMatchObject({ code: "people.wrong-key" });
  expect(await storeOf("a").read()).not.toBeNull();
});

test("what one machine changes is seen by the others soon, and a login that is gone by none", async () => {
  const tables = createMemoryTables();
  const config = await configOf(SERVERS);
  const start = async () => inside(await startMachine(createStore(createMemoryBackEnd(tables)), config), config);
  const [one, two] = [await start(), await start()];
  expect(await two.storeOf("a").read()).toBeNull();
  await one.storeOf("a").write(loginAt(URL_A, ISSUER));
  await expect.poll(async () => (await two.storeOf("a").read())?.access).toBe("access-canary");
  expect(await one.storeOf("a").remove()).toBe(true);
  await expect.poll(() => two.storeOf("a").read()).toBeNull();
});

test("a login that was refused stays away, and one that was made since stays (O11)", async () => {
  const { storeOf, stateOf } = await openOne();
  const login = loginAt(URL_A, ISSUER);
  await storeOf("a").write(login);
  const newer = { ...login, access: "newer", refresh: "newer" };
  await storeOf("a").write(newer);
  await storeOf("a").refuse(login);
  expect(await storeOf("a").read()).toMatchObject({ access: "newer" });
  await storeOf("a").refuse(newer);
  expect(await storeOf("a").read()).toBeNull();
  expect(await stateOf("a")).toEqual({ kind: "needs-login", reason: "its authorization server no longer takes it" });
  expect(await storeOf("a").renew(newer, login)).toBe(false);
});

test("keys are kept as people enter them, and what no request could carry is refused without being repeated", async () => {
  const { config, machine, stateOf } = await openOne();
  const keyed = serverOf(config, "keyed");
  const { credentials } = machine;
  expect(await stateOf("keyed")).toMatchObject({ kind: "needs-key" });
  for (const wrong of ["", "  ", "a\nb: c", "smörgås", "x".repeat(9_000)])
    await expect(credentials.putKey(keyed, alice, wrong)).rejects.toMatchObject({
      code: "credentials.invalid",
      message: expect.not.stringContaining("smörg"),
    });
  await expect(credentials.putKey(serverOf(config, "a"), alice, "k")).rejects.toThrow(/takes no keys/);
  await credentials.putKey(keyed, alice, " key-123 ");
  const { proof, login, key } = credentials.of(keyed, alice);
  if (proof.kind !== "tokens") throw new Error("it is sent in a header");
  const tokens = proof.open();
  const url = new URL("https://k.example.com/mcp");
  const never = new AbortController().signal;
  expect(await tokens.current(url, never)).toBe("key-123");
  expect(await tokens.current(new URL("https://elsewhere.example.com/"), never)).toBeNull();
  expect(tokens.sentAs).toEqual({ header: "x-api-key", prefix: "" });
  expect(tokens.hide("it is key-123!")).not.toContain("key-123");
  expect(login).toBe("key alice@idp.example.com");
  expect(key).not.toContain("key-123");
  expect(await credentials.forget(alice, "keyed")).toEqual({ kind: "not-offered" });
  expect(await credentials.forget(alice, "keyed")).toBeNull();
  expect(await tokens.current(url, never)).toBeNull();
});
