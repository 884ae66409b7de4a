import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { expect, onTestFinished, test } from "vitest";
import type { Caller } from "../../src/core/people/person.ts";
import { createStore } from "../../src/runtime/store/create-store.ts";
import { createMemoryBackEnd } from "../../src/runtime/store/memory-back-end.ts";
import { CLIENT_SECRET, openLoginWorld } from "../people/login-world.ts";
import { caller, configOf, serverOf, startMachine } from "./world.ts";

const NEVER = new AbortController().signal;
const RESOURCE = "https://orders.example.com/mcp";
const KEYS = "/jwks";
const AT = new URL(RESOURCE);

/** People who log in at a real provider, which exchanges their tokens for a server of the company. */
async function openExchange({ credentials = {}, machines = 1 }: { credentials?: object; machines?: number } = {}) {
  const world = await openLoginWorld({ keepsTokens: true });
  const { provider, tables, folder } = world;
  const login = { issuer: provider.issuer, clientId: "gateway", clientSecret: CLIENT_SECRET };
  const kind = { kind: "exchange", resource: RESOURCE, scopes: ["tools:call"], ...credentials };
  const config = await configOf({ orders: { url: RESOURCE, credentials: kind } }, { login, keys: undefined });
  const clock = { ahead: 0 };
  const start = () =>
    startMachine(createStore(createMemoryBackEnd(tables)), config, {
      ...{ folder, scope: "people", now: () => Date.now() + clock.ahead },
    });
  const all = await Promise.all(Array.from({ length: machines }, start));
  const identityOf = (who: Caller, at = 0) => {
    const identity = all[at]?.credentials.of(serverOf(config, "orders"), who);
    if (identity?.proof.kind !== "tokens") throw new Error("it gets a token");
    const tokens = identity.proof.open();
    return { ...identity, tokens, token: () => tokens.current(AT, NEVER) };
  };
  const read = async (token: string | null) =>
    (await jwtVerify(token ?? "", createRemoteJWKSet(new URL(`${provider.issuer}${KEYS}`)), { audience: RESOURCE }))
      .payload;
  const person = (subject: string): Caller => caller(subject, { issuer: provider.issuer });
  const exchanges = () => provider.requests("/token");
  /** Time passes, for everybody. */
  const pass = async (minutes: number): Promise<void> => {
    clock.ahead += minutes * 60_000;
    await provider.setOffset(clock.ahead);
  };
  return { ...world, provider, pass, all, identityOf, read, person, exchanges };
}

test("a person's login is exchanged for a token that is for one server, and kept while it counts (O10)", async () => {
  const { provider, logIn, identityOf, read, person, exchanges, dump } = await openExchange();
  for (const subject of ["alice", "bob"]) await provider.setUser(subject, { name: subject });
  await logIn("alice");
  await logIn("bob");
  const [alice, bob] = [identityOf(person("alice")), identityOf(person("bob"))];
  const before = await exchanges();
  const tokens = await Promise.all([alice.token(), alice.token(), alice.token(), bob.token()]);
  expect(new Set(tokens).size).toBe(2);
  expect(await read(tokens[0] ?? null)).toMatchObject({ sub: "alice", aud: RESOURCE, iss: provider.issuer });
  expect(await read(tokens[3] ?? null)).toMatchObject({ sub: "bob" });
  expect(await alice.token()).toBe(tokens[0]);
  expect((await exchanges()) - before).toBe(2);
  expect(alice.key).not.toBe(bob.key);
  expect(await alice.state()).toEqual({ kind: "ready" });
  // What it was exchanged for is nowhere but here, and what is stored is sealed.
  for (const secret of [...(await provider.issued()), ...tokens]) expect(dump()).not.toContain(secret);
});

test("a token that the server refuses is exchanged again once, and one that runs out in time (O10)", async () => {
  const { provider, logIn, identityOf, person, pass } = await openExchange();
  await provider.setUser("alice");
  await logIn("alice");
  const { tokens, token } = identityOf(person("alice"));
  const first = await token();
  const second = await tokens.renew(first, NEVER, { url: AT, status: 401, header: null });
  expect(second).not.toBe(first);
  expect(await token()).toBe(second);
  expect(tokens.hide(`${first} ${second}`)).not.toContain(second);
  // Both the exchanged token and the one it was made of have run out: the login is renewed, and exchanged again.
  await pass(11);
  const third = await token();
  expect([first, second, null]).not.toContain(third);
});

test("three machines that renew one login at once keep its family of tokens alive (O8, O11)", async () => {
  const { provider, logIn, identityOf, person, pass, read, origin } = await openExchange({ machines: 3 });
  await provider.setUser("alice");
  const { jar } = await logIn("alice");
  await pass(11);
  const tokens = await Promise.all([0, 1, 2, 0, 1, 2].map((at) => identityOf(person("alice"), at).token()));
  for (const token of tokens) expect(await read(token)).toMatchObject({ sub: "alice" });
  await pass(11);
  expect(await read(await identityOf(person("alice"), 1).token())).toMatchObject({ sub: "alice" });
  expect((await jar.open(`${origin}/login`, (url) => !url.startsWith(origin))).status).toBe(200);
}, 30_000);

test("who has not logged in, was disabled, or comes from elsewhere gets no token, with the reason (O10)", async () => {
  const { provider, logIn, identityOf, person, exchanges } = await openExchange();
  await provider.setUser("alice");
  const never = identityOf(person("carol"));
  expect(await never.token()).toBeNull();
  expect(await never.state()).toEqual({
    kind: "unavailable",
    reason: "there is no token of a login that could be exchanged; log in to the gateway again",
  });
  const before = await exchanges();
  const stranger = identityOf(caller("alice"));
  expect(await stranger.token()).toBeNull();
  expect(await stranger.state()).toMatchObject({ reason: expect.stringMatching(/exchanges its own tokens alone/) });
  await logIn("alice");
  await provider.setUser("alice", { disabled: true });
  const alice = identityOf(person("alice"));
  expect(await alice.token()).toBeNull();
  expect(await alice.state()).toMatchObject({ reason: expect.stringMatching(/invalid_grant/) });
  // Trying again and again does not ask the provider each time.
  for (let count = 0; count < 20; count += 1) await alice.token();
  expect((await exchanges()) - before).toBeLessThan(5);
});

/** A token endpoint that answers as told, and says what it was asked. */
async function startEndpoint(answer: object, status = 200) {
  const asked: URLSearchParams[] = [];
  const server = createServer((request, response) => {
    if (request.url?.startsWith("/.well-known/")) {
      const own = Object.fromEntries(
        ["authorization", "token"].map((name) => [`${name}_endpoint`, `${issuer}/${name}`]),
      );
      return void response.end(JSON.stringify({ issuer, ...own, jwks_uri: `${issuer}/keys` }));
    }
    let body = "";
    request.on("data", (part) => {
      body += String(part);
    });
    request.on("end", () => {
      asked.push(new URLSearchParams(body));
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const issuer: string = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { issuer, asked };
}

const GOOD = { access_token: "exchanged-canary", token_type: "Bearer", expires_in: 300 };

async function openWithToken(answer: object, form: object, status = 200) {
  const { issuer, asked } = await startEndpoint(answer, status);
  const client = { issuer, clientId: "gateway", clientSecret: "client-canary" };
  const credentials = { kind: "exchange", ...form, ...client };
  const config = await configOf({ orders: { url: RESOURCE, credentials } });
  const machine = await startMachine(createStore(createMemoryBackEnd()), config);
  const ci = caller("ci", { issuer: "https://ci.example.com" });
  machine.subjects.note(ci, "foreign.jwt.canary", Date.now() + 60_000);
  const identity = machine.credentials.of(serverOf(config, "orders"), ci);
  if (identity.proof.kind !== "tokens") throw new Error("it gets a token");
  const tokens = identity.proof.open();
  return { asked, identity, token: () => tokens.current(AT, NEVER), machine, ci, config };
}

test("the token that a service came with is exchanged in the words of RFC 8693 or of Entra (O10)", async () => {
  const wish = { audience: "orders", resource: RESOURCE, scopes: ["a", "b"] };
  const standard = await openWithToken(GOOD, wish);
  expect(await standard.token()).toBe("exchanged-canary");
  expect(Object.fromEntries(standard.asked[0] ?? [])).toEqual({
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    subject_token: "foreign.jwt.canary",
    subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
    requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
    ...{ audience: "orders", resource: RESOURCE, scope: "a b" },
  });
  const entra = await openWithToken(GOOD, { form: "entra", scopes: ["api://orders/.default"] });
  expect(await entra.token()).toBe("exchanged-canary");
  expect(Object.fromEntries(entra.asked[0] ?? [])).toEqual({
    grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
    ...{ assertion: "foreign.jwt.canary", requested_token_use: "on_behalf_of", scope: "api://orders/.default" },
  });
});

test("no other caller, and nobody whose access has ended, gets what was exchanged for somebody (O8)", async () => {
  const { machine, ci, config, token, asked } = await openWithToken(GOOD, { audience: "orders" });
  expect(await token()).toBe("exchanged-canary");
  const own = machine.credentials.of(serverOf(config, "orders"), { ...ci, groups: ["more"] });
  if (own.proof.kind !== "tokens") throw new Error("it gets a token");
  expect(await own.proof.open().current(AT, NEVER)).toBeNull();
  await machine.credentials.end(ci);
  expect(await token()).toBeNull();
  expect(asked).toHaveLength(1);
});

test.each([
  ["an answer without a token", { token_type: "Bearer" }, 200, /gave no token/],
  ["a token of another kind", { ...GOOD, token_type: "DPoP" }, 200, /gave no token/],
  ["a token that no header can carry", { ...GOOD, access_token: "a\r\nb: c" }, 200, /gave no token/],
  ["a refusal", { error: "invalid_target" }, 400, /invalid_target/],
])("%s gives none, and says so without secrets (O19)", async (_, answer, status, why) => {
  const { identity, token } = await openWithToken(answer, { audience: "orders" }, status);
  expect(await token()).toBeNull();
  const state = await identity.state();
  expect(state).toMatchObject({ kind: "unavailable", reason: expect.stringMatching(why) });
  expect(JSON.stringify(state)).not.toContain("canary");
});

test("a provider that is away fails the request, and costs nobody anything", async () => {
  const { token } = await openWithToken({}, { audience: "orders" }, 503);
  await expect(token()).rejects.toMatchObject({ code: "login.failed", message: expect.not.stringContaining("canary") });
});
