import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { resealLogins } from "../../src/runtime/credentials/reseal-logins.ts";
import { createStore } from "../../src/runtime/store/create-store.ts";
import { createMemoryBackEnd } from "../../src/runtime/store/memory-back-end.ts";
import { createMemoryTables } from "../../src/runtime/store/memory-tables.ts";
import { openSqlite } from "../../src/runtime/store/sqlite/open-sqlite.ts";
import type { Store } from "../../src/runtime/store/store.ts";
import { createDeferred } from "../../src/system/time/deferred.ts";
import { type AuthServer, startAuthServer } from "../oauth/auth-server.ts";
import { browse } from "../oauth/protected-mcp.ts";
import { ensureBuilt } from "../support/built-cli.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { caller, configOf, KEY, loginAt, PUBLIC_URL, serverOf, startMachine } from "./world.ts";

const PROGRAM = fileURLToPath(new URL("../fixtures/credentials/renewing.mjs", import.meta.url));
const alice = caller("alice");
const RESOURCE = "http://127.0.0.1:9/mcp";
const NEVER = new AbortController().signal;

/** Tokens as the authorization server gives them out. */
async function firstTokens({ origin }: AuthServer): Promise<{ access: string; refresh: string }> {
  const { createHash } = await import("node:crypto");
  const verifier = "v".repeat(43);
  const redirect = "http://127.0.0.1/callback";
  const params = new URLSearchParams({
    ...{ response_type: "code", client_id: "known-client", redirect_uri: redirect, resource: RESOURCE, state: "s" },
    ...{ code_challenge: createHash("sha256").update(verifier).digest("base64url"), code_challenge_method: "S256" },
  });
  const code = new URL(await browse(`${origin}/authorize?${params}`)).searchParams.get("code") ?? "";
  const form = { code, code_verifier: verifier, redirect_uri: redirect, client_id: "known-client", resource: RESOURCE };
  const answer = await fetch(`${origin}/token`, { method: "POST", body: new URLSearchParams(form) });
  const given = (await answer.json()) as { access_token: string; refresh_token: string };
  return { access: given.access_token, refresh: given.refresh_token };
}

/** Alice's login has run out, and all machines know it. */
async function openRunOut(openStore: () => Promise<Store>, machines = 3) {
  const auth = await startAuthServer();
  const config = await configOf({ it: { url: RESOURCE, credentials: "person" } });
  const server = serverOf(config, "it");
  const stores = await Promise.all(Array.from({ length: machines }, openStore));
  const all = await Promise.all(stores.map((each) => startMachine(each, config)));
  const [first] = all;
  const store = first?.credentials.loginStore(server, alice);
  if (store == null || first === undefined) throw new Error("it has logins of people");
  const login = {
    ...loginAt(RESOURCE, auth.issuer, { clientId: "known-client", expires: Date.now() - 1_000 }),
    ...(await firstTokens(auth)),
    revocation: { endpoint: `${auth.origin}/revoke`, authMethods: [] },
  };
  await store.write(login);
  const tokensOf = (at: number) => {
    const { proof } = all[at]?.credentials.of(server, alice) ?? {};
    if (proof?.kind !== "tokens") throw new Error("it has a login");
    return proof.open();
  };
  const refreshed = () => auth.asked("/token").filter(({ body }) => body.includes("refresh_token=")).length;
  const place = { store: stores[0] as Store, scope: "company" };
  return { auth, config, server, first, place, store, login, tokensOf, refreshed };
}

const memory = () => {
  const tables = createMemoryTables();
  return async () => createStore(createMemoryBackEnd(tables));
};

test("however many ask on three machines at once, a login is renewed once, though its token works once (O11)", async () => {
  const { auth, tokensOf, refreshed, first, server } = await openRunOut(memory());
  const hold = createDeferred<void>();
  auth.hold = hold.promise;
  const asked = Array.from({ length: 60 }, (_, at) => tokensOf(at % 3).current(new URL(RESOURCE), NEVER));
  await expect.poll(refreshed).toBe(1);
  hold.resolve();
  const tokens = await Promise.all(asked);
  expect(new Set(tokens)).toEqual(new Set([[...auth.valid.keys()].at(-1)]));
  expect(refreshed()).toBe(1);
  expect(await first.credentials.of(server, alice).state()).toEqual({ kind: "ready" });
}, 30_000);

test("a refresh token that is used up makes the person log in again, unless another login has come since (O11)", async () => {
  const { auth, tokensOf, store, login, first, server } = await openRunOut(memory());
  auth.refuses = "refresh";
  const hold = createDeferred<void>();
  auth.hold = hold.promise;
  const asking = tokensOf(0).current(new URL(RESOURCE), NEVER);
  await expect.poll(() => auth.asked("/token").length).toBe(2);
  await store.write({ ...login, access: "made-since", refresh: "made-since", expires: null });
  hold.resolve();
  expect(await asking).toBe("made-since");
  expect(await tokensOf(1).current(new URL(RESOURCE), NEVER)).toBe("made-since");
  await store.write(login);
  expect(await tokensOf(2).current(new URL(RESOURCE), NEVER)).toBeNull();
  expect(await first.credentials.of(server, alice).state()).toEqual({
    kind: "needs-login",
    reason: "its authorization server no longer takes it",
  });
});

test("a server that is away, or that no longer knows our own client, costs nobody their login (O11)", async () => {
  const { auth, tokensOf, store } = await openRunOut(memory());
  auth.isDown = true;
  await expect(tokensOf(0).current(new URL(RESOURCE), NEVER)).rejects.toMatchObject({ code: "login.failed" });
  auth.isDown = false;
  expect(await store.read()).not.toBeNull();
  expect(await tokensOf(1).current(new URL(RESOURCE), NEVER)).toBe([...auth.valid.keys()].at(-1));
});

test("a logout while a login is renewed leaves nothing behind: what comes is revoked too (O8)", async () => {
  const { auth, tokensOf, first, store, refreshed } = await openRunOut(memory());
  const hold = createDeferred<void>();
  auth.hold = hold.promise;
  const asking = tokensOf(1).current(new URL(RESOURCE), NEVER);
  await expect.poll(refreshed).toBe(1);
  // Another machine takes the row away without waiting.
  await store.remove();
  hold.resolve();
  expect(await asking).toBeNull();
  await expect.poll(() => auth.valid.size).toBe(1);
  expect(auth.asked("/revoke").map(({ body }) => new URLSearchParams(body).get("token_type_hint"))).toEqual([
    "refresh_token",
    "access_token",
  ]);
  expect(await first.credentials.list(alice)).toEqual([]);
});

test("a login that another key seals while it is renewed stays, with its new tokens (O11)", async () => {
  const { auth, tokensOf, first, refreshed, config, place } = await openRunOut(memory(), 1);
  const hold = createDeferred<void>();
  auth.hold = hold.promise;
  const asking = tokensOf(0).current(new URL(RESOURCE), NEVER);
  await expect.poll(refreshed).toBe(1);
  const keys = [randomBytes(32).toString("base64"), KEY];
  await first.sealer.renew({ keys, origin: config.gateway.auth?.origin ?? { kind: "default" } });
  expect(await resealLogins({ place, sealer: first.sealer }, alice)).toBe(true);
  hold.resolve();
  expect(await asking).toBe([...auth.valid.keys()].at(-1));
  expect(auth.asked("/revoke")).toEqual([]);
  expect(await first.credentials.list(alice)).toMatchObject([{ server: "it", trouble: null }]);
});

test("a logout revokes at the authorization server, and the end of a person does so for everything (O8)", async () => {
  const { auth, first, login } = await openRunOut(memory());
  expect(await first.credentials.forget(alice, "it")).toEqual({ kind: "revoked" });
  expect(auth.valid.has(login.access)).toBe(false);
  expect(await first.credentials.forget(alice, "it")).toBeNull();
});

beforeAll(ensureBuilt, 120_000);

/** A process of its own, on the same store, that is killed as soon as it has asked for a new token. */
async function killWhileRenewing(
  path: string,
  { auth, config, server, refreshed }: Awaited<ReturnType<typeof openRunOut>>,
) {
  const given = {
    ...{ publicUrl: PUBLIC_URL, folder: makeTempFolder(), caller: alice },
    auth: { keys: [KEY], people: [], login: null, origin: config.gateway.auth?.origin },
    server: { name: server.name, credentials: server.credentials, transport: { type: "http", url: RESOURCE } },
  };
  const child = spawn(process.execPath, [PROGRAM, path, JSON.stringify(given)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const before = refreshed();
  await expect.poll(refreshed, { timeout: 30_000 }).toBe(before + 1);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(auth.asked("/token").length).toBeGreaterThan(0);
}

test("kill -9 in a renewal: another machine takes it over within seconds, and nobody is logged out (O11)", async () => {
  const path = join(makeTempFolder(), "store.db");
  const world = await openRunOut(async () => createStore(await openSqlite(path)), 1);
  const { auth, tokensOf } = world;
  const hold = createDeferred<void>();
  auth.hold = hold.promise;
  await killWhileRenewing(path, world);
  // The request of the killed process is forgotten with its connection.
  auth.hold = Promise.resolve();
  const began = performance.now();
  expect(await tokensOf(0).current(new URL(RESOURCE), NEVER)).toBe([...auth.valid.keys()].at(-1));
  expect(performance.now() - began).toBeLessThan(15_000);
  hold.resolve();
}, 60_000);

test("kill -9 after the token was used up: that login alone has to be made again, and its reason is told (O11)", async () => {
  const path = join(makeTempFolder(), "store.db");
  const world = await openRunOut(async () => createStore(await openSqlite(path)), 1);
  const { auth, tokensOf, first, server, config } = world;
  const other = first.credentials.loginStore(serverOf(config, "it"), caller("bob"));
  await other?.write(loginAt(RESOURCE, auth.issuer, { expires: null }));
  auth.losesTokens = true;
  await killWhileRenewing(path, world);
  auth.losesTokens = false;
  expect(await tokensOf(0).current(new URL(RESOURCE), NEVER)).toBeNull();
  expect(await first.credentials.of(server, alice).state()).toMatchObject({ kind: "needs-login" });
  expect(await first.credentials.of(server, caller("bob")).state()).toEqual({ kind: "ready" });
}, 60_000);
