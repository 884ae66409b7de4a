import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Client } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test, vi } from "vitest";
import { createDeferred } from "../../src/system/time/deferred.ts";
import type { ClientEra } from "../gateway/clients.ts";
import { type AuthServer, startAuthServer } from "../oauth/auth-server.ts";
import { type BrowserJar, createBrowserJar } from "../support/browser-jar.ts";
import { letClientIn } from "../support/company-client.ts";
import { connectPerson, linkIn, type OpenAddress } from "./connect-world.ts";
import { openLoginWorld } from "./login-world.ts";

test("a person logs in at a server on their page, and calls there are theirs; a look at a page does nothing (O12)", async () => {
  const world = await openWorld();
  const { jar } = await world.logIn("alice");
  const me = await jar.open(`${world.origin}/me`);
  expect(me.text).toContain("My logins at servers: 0 of 2");
  const page = await jar.open(`${world.origin}/connect?server=boards`);
  expect(page.status).toBe(200);
  expect(world.auth.seen).toEqual([]);
  world.auth.user = "alice at the boards";
  const done = await jar.submit(page);
  expect(done.text).toContain("You are connected");
  expect((await jar.open(`${world.origin}/me`)).text).toContain("My logins at servers: 1 of 2");
  const client = await world.connect(jar, "legacy");
  expect(await callWho(client)).toContain("alice at the boards");
  expect(world.notes.filter(({ type }) => type === "login.made")).toMatchObject([
    { principal: expect.stringContaining("alice@"), text: expect.stringContaining("logged in at boards") },
  ]);
  expect(world.dump()).not.toMatch(/access-|refresh-|code-/);
  expect(world.problems).toEqual([]);
});

test("disconnecting forgets the login, revokes it there, and the next call asks again", async () => {
  const world = await openWorld();
  const { jar } = await world.logIn("alice");
  await jar.submit(await jar.open(`${world.origin}/connect?server=boards`));
  const client = await world.connect(jar, "legacy");
  await callWho(client);
  expect(world.auth.valid.size).toBe(1);
  const me = await jar.open(`${world.origin}/me`);
  const after = await jar.submit(me, {}, "/connect");
  expect(after.text).toContain("You are disconnected there, and the login was revoked.");
  expect(world.auth.valid.size).toBe(0);
  await vi.waitFor(async () => expect(await callWho(client)).toContain("login.needed"));
});

test("a client that shows no addresses gets the link in words, and its next call is made (O12)", async () => {
  const world = await openWorld();
  const { jar } = await world.logIn("alice");
  const client = await world.connect(jar, "legacy");
  const said = await callWho(client);
  expect(said).toContain("login.needed");
  expect(said).toContain("there is no login of theirs yet");
  world.auth.user = "alice";
  expect((await jar.submit(await jar.open(linkIn(said)))).text).toContain("You are connected");
  expect(await callWho(client)).toContain("you are alice");
  expect((await jar.open(linkIn(said))).text).toContain("This link no longer works");
});

test.each([1, 3])(
  "2025-11-25: a call without a login is answered with -32042, and its client learns when the login is there; %i machines (O12)",
  async (machines) => {
    const world = await openWorld({ machines });
    const { jar } = await world.logIn("alice");
    const client = await world.connect(jar, "legacy", async () => "accept");
    const completed = createDeferred<string>();
    client.setNotificationHandler("notifications/elicitation/complete", ({ params }) =>
      completed.resolve(params.elicitationId),
    );
    const error = await client.callTool(WHO).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: -32042,
      data: { elicitations: [{ mode: "url", elicitationId: expect.any(String) }] },
    });
    const [{ url, elicitationId }] = (error as { data: { elicitations: [{ url: string; elicitationId: string }] } })
      .data.elicitations;
    world.auth.user = "alice";
    await jar.submit(await jar.open(url));
    expect(await completed.promise).toBe(elicitationId);
    expect(await callWho(client)).toContain("you are alice");
  },
);

test.each([1, 3])(
  "2026-07-28: a call without a login asks with the address, waits, and goes on once the person has logged in; %i machines (O12)",
  async (machines) => {
    const world = await openWorld({ machines });
    const { jar } = await world.logIn("alice");
    const urls: string[] = [];
    const client = await world.connect(jar, "modern", async (url) => {
      urls.push(url);
      world.auth.user = "alice";
      // The person is still on the way when the client says that the address was opened.
      void jar.open(url).then((page) => jar.submit(page));
      return "accept";
    });
    expect(await callWho(client)).toContain("you are alice");
    expect(urls).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/connect\/[\w-]{43}$/)]);
    expect(world.problems).toEqual([]);
  },
);

test("2026-07-28: the question has the id that the older protocol wants, since a client reads none without it", async () => {
  const world = await openWorld();
  const { jar } = await world.logIn("alice");
  const { access } = await letClientIn(jar, world.origin);
  const capabilities = { elicitation: { form: {}, url: {} } };
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "copilot-cli", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  };
  const answer = await fetch(`${world.origin}/mcp`, {
    method: "POST",
    headers: {
      ...{ authorization: `Bearer ${access}`, "content-type": "application/json" },
      ...{ accept: "application/json, text/event-stream", "mcp-protocol-version": "2026-07-28" },
      ...{ "mcp-method": "tools/call", "mcp-name": WHO.name },
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { ...WHO, _meta } }),
  });
  expect(await answer.text()).toMatch(/"mode":"url"[^}]*"elicitationId":"[\w-]{36}"/);
});

test("2026-07-28: a person who does not open the address leaves the model with the link in words", async () => {
  const world = await openWorld();
  const { jar } = await world.logIn("alice");
  const client = await world.connect(jar, "modern", async () => "decline");
  expect(linkIn(await callWho(client))).toContain("/connect/");
});

test("a link sent to a victim is refused, and so is the rest of a login; both persons are in the log (O12)", async () => {
  const world = await openWorld();
  const mallory = (await world.logIn("mallory")).jar;
  const alice = (await world.logIn("alice")).jar;
  const link = linkIn(await callWho(await world.connect(mallory, "legacy")));
  const opened = await alice.open(link);
  expect([opened.status, opened.text]).toEqual([403, expect.stringContaining("asked for by somebody else")]);
  expect(opened.text).not.toContain("<form");
  expect(world.auth.seen).toEqual([]);
  // The login itself, with Mallory's state: Alice would give Mallory her account.
  world.auth.user = "alice";
  const page = await mallory.open(link);
  const away = await mallory.ask(new URL(page.url).href, {
    method: "POST",
    headers: { origin: world.origin },
    body: new URLSearchParams({ token: /name="token" value="([^"]*)"/.exec(page.text)?.[1] ?? "", server: "boards" }),
  });
  const address = /^0; url=(.*)$/.exec(away.headers.get("refresh") ?? "")?.[1] ?? "";
  const caught = await alice.open(address);
  expect([caught.status, caught.text]).toEqual([403, expect.stringContaining("asked for by somebody else")]);
  expect(world.auth.asked("/token")).toEqual([]);
  const refused = world.notes.filter(({ type }) => type === "login.refused");
  expect(refused.map(({ principal = "" }) => principal.split("@")[0])).toEqual([
    "alice",
    "mallory",
    "alice",
    "mallory",
  ]);
  // It still is Mallory's own.
  expect((await mallory.open(address)).text).toContain("You are connected");
  expect(await callWho(await world.connect(alice, "legacy"))).toContain("login.needed");
});

test("no page does anything for a form from elsewhere, a link without a login, or another browser of the same person", async () => {
  const world = await openWorld();
  const { jar } = await world.logIn("alice");
  const post = (fields: Record<string, string>) =>
    jar.ask(`${world.origin}/connect`, {
      ...{ method: "POST", headers: { origin: world.origin }, body: new URLSearchParams(fields) },
    });
  expect((await post({ server: "boards", token: "x" })).status).toBe(403);
  expect((await post({ server: "boards", do: "forget" })).status).toBe(403);
  const stranger = createBrowserJar();
  const sent = await stranger.ask(`${world.origin}/connect?server=boards`);
  expect([sent.status, sent.headers.get("location")]).toEqual([303, "/login?back=%2Fconnect%3Fserver%3Dboards"]);
  const page = await jar.open(`${world.origin}/connect?server=boards`);
  const token = /name="token" value="([^"]*)"/.exec(page.text)?.[1] ?? "";
  const address =
    /^0; url=(.*)$/.exec((await post({ server: "boards", token })).headers.get("refresh") ?? "")?.[1] ?? "";
  const other = (await world.logIn("alice")).jar;
  const caught = await other.open(address);
  expect([caught.status, caught.text]).toEqual([400, expect.stringContaining("begun in another browser")]);
  expect(world.auth.asked("/token")).toEqual([]);
  for (const name of ["nothing", "open"])
    expect((await jar.open(`${world.origin}/connect?server=${name}`)).status).toBe(404);
});

test("any machine takes on any step, also after a restart in the middle of a login", async () => {
  const world = await openWorld({ machines: 3 });
  const { jar } = await world.logIn("alice");
  const said = await callWho(await world.connect(jar, "modern"));
  await world.restart();
  const page = await jar.open(linkIn(said));
  await world.restart();
  const token = /name="token" value="([^"]*)"/.exec(page.text)?.[1] ?? "";
  const away = await jar.ask(page.url, {
    ...{ method: "POST", headers: { origin: world.origin }, body: new URLSearchParams({ token, server: "boards" }) },
  });
  await world.restart();
  world.auth.user = "alice";
  const address = /^0; url=(.*)$/.exec(away.headers.get("refresh") ?? "")?.[1] ?? "";
  expect((await jar.open(address)).text).toContain("You are connected");
  await world.restart();
  expect(await callWho(await world.connect(jar, "modern"))).toContain("you are alice");
});

test("a key is entered on the page alone, sent in its header, and shown to nobody again (O12, O19)", async () => {
  const world = await openWorld();
  const { jar } = await world.logIn("alice");
  const page = await jar.open(`${world.origin}/connect?server=tracker`);
  expect(page.text).toContain("Make one in your settings");
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  const wrong = await jar.submit(page, { key: "a\u0007b" });
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining("cannot be a key")]);
  const key = "key-canary-0123456789";
  const done = await jar.submit(page, { key });
  expect(done.text).toContain("You are connected");
  const client = await world.connect(jar, "legacy");
  expect(JSON.stringify(await client.callTool({ name: "tracker__who", arguments: {} }))).toContain("X-Key: yes");
  const me = await jar.open(`${world.origin}/me`);
  const said = [done, me, await jar.open(`${world.origin}/connect?server=tracker`)].map(({ text }) => text);
  for (const text of [...said, world.dump(), JSON.stringify(world.notes)]) expect(text).not.toContain(key);
});

test("the gateway describes itself as a client, and an authorization server that is away gets a clear page", async () => {
  const world = await openWorld();
  const document = await (await fetch(`${world.origin}/oauth/client.json`)).json();
  expect(document).toMatchObject({
    client_id: `${world.origin}/oauth/client.json`,
    redirect_uris: [`${world.origin}/connect/callback`],
    token_endpoint_auth_method: "none",
  });
  const { jar } = await world.logIn("alice");
  world.auth.refuses = "login";
  const refused = await jar.submit(await jar.open(`${world.origin}/connect?server=boards`));
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("refused the login (access_denied)")]);
});

const WHO = { name: "boards__who", arguments: {} };

async function callWho(client: Client): Promise<string> {
  return JSON.stringify(await client.callTool(WHO));
}

/** A gateway before two APIs: the boards know plain OAuth, the tracker takes keys. */
async function openWorld({ machines = 1 }: { readonly machines?: number } = {}) {
  const auth = await startAuthServer();
  const api = await startApi(auth);
  const oauth = {
    ...{ clientId: "known-client", clientSecret: "boards-client-secret-canary", scope: "read" },
    ...{ authorizationUrl: `${auth.origin}/authorize`, tokenUrl: `${auth.origin}/token` },
    ...{ revocationUrl: `${auth.origin}/revoke`, resource: "omit" },
  };
  const at = { spec: `${api}/openapi.json`, baseUrl: api };
  const key = { kind: "key", header: "X-Key", hint: "Make one in your settings" };
  const world = await openLoginWorld({
    machines,
    config: {
      openapi: { boards: { ...at, oauth, credentials: "person" }, tracker: { ...at, credentials: key }, open: at },
      ...{ permissions: { allow: ["*"] }, toolSearch: "off", builtins: "off" },
    },
  });
  for (const name of ["alice", "mallory"]) await world.provider.setUser(name, { name, groups: [] });
  return {
    ...world,
    auth,
    connect: (jar: BrowserJar, era: ClientEra, open?: OpenAddress) =>
      connectPerson(world.origin, jar, { era, open, lists: "boards__who" }),
  };
}

/** An API that says who asks, by the token; and whether a key came. */
async function startApi(auth: AuthServer): Promise<string> {
  const server = createServer((request, response) => {
    const answer = (status: number, value: object): void =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (request.url === "/openapi.json") return answer(200, DOCUMENT);
    const token = request.headers.authorization?.replace(/^Bearer /, "") ?? "";
    const key = request.headers["x-key"] === undefined ? "no" : "yes";
    if (key === "no" && !auth.valid.has(token)) return answer(401, { error: "who are you?" });
    return answer(200, { said: `you are ${auth.owners.get(token)}, X-Key: ${key}` });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const DOCUMENT = {
  openapi: "3.1.0",
  info: { title: "Boards", version: "1" },
  paths: {
    "/who": { get: { operationId: "who", summary: "Who is asking", responses: { 200: { description: "a name" } } } },
  },
};
