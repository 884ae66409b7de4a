import type { IncomingHttpHeaders } from "node:http";
import type { Client } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { openAuditLog } from "../../src/runtime/audit/audit-log.ts";
import { isCall } from "../../src/runtime/audit/audit-row.ts";
import { endAccess } from "../../src/runtime/people/end-access.ts";
import { TOKEN } from "../http/door.ts";
import { type AuthServer, startAuthServer } from "../oauth/auth-server.ts";
import type { BrowserJar } from "../support/browser-jar.ts";
import { letClientIn } from "../support/company-client.ts";
import { listen, statelessAnswer } from "../support/loopback-mcp.ts";
import { connectWith } from "./connect-world.ts";
import { openLoginWorld } from "./login-world.ts";

const KINDS = ["none", "shared", "person", "key", "exchange", "signed"] as const;
type Kind = (typeof KINDS)[number];
const FORMS = ["mcp", "api"] as const;
type Form = (typeof FORMS)[number];
const WAYS = { mcp: ["tools/call", "prompts/get", "resources/read"], api: ["GET /who"] } as const;
const PEOPLE = ["alice", "bob"] as const;
type Name = (typeof PEOPLE)[number];

const COMMON = "the-token-of-everybody-0123456789";
const RESOURCE = "https://orders.example.com/mcp";
const FIRST = { era: "legacy", lists: "shared-mcp__who" } as const;
const AUDIENCE = "https://signed.example.com";

/** Whom servers take a person for, by the kind of credentials, and whether the row of a call names a login. */
const TABLE: Readonly<Record<Kind, { readonly as: (name: Name) => string; readonly login: boolean }>> = {
  none: { as: () => "nobody", login: false },
  shared: { as: () => "everybody", login: false },
  person: { as: (name) => name, login: true },
  key: { as: (name) => name, login: true },
  exchange: { as: (name) => name, login: true },
  signed: { as: (name) => name, login: true },
};

test("servers know callers by their kind of credentials alone: MCP and APIs, tools, prompts and resources (O10)", {
  timeout: 120_000,
}, async () => {
  const world = await openWorld();
  const { arrived, tokensOf } = world;
  const alice = await world.comeIn("alice");
  const bob = await world.comeIn("bob");
  const both = [alice, bob];

  // Without a login nothing is sent to servers that need one, and the answer says what is missing.
  for (const { name, client } of both)
    for (const kind of ["person", "key"] as const) {
      const answer = await callApi(client, kind);
      expect([name, kind, answer]).toEqual([name, kind, expect.stringContaining("/connect/")]);
    }
  expect(world.sent(["person", "key"])).toEqual([]);

  for (const { name, jar } of both) await world.logInEverywhere(name, jar);
  for (const { name, client } of both) {
    const done = await world.useEverything(client);
    expect(done).toEqual(expectedOf(name));
  }
  const rows = world.log.recent.filter(isCall).filter(({ result }) => result === "success");
  for (const name of PEOPLE)
    for (const kind of KINDS)
      for (const form of FORMS) {
        const own = rows.filter(({ tool, person }) => tool === `${kind}-${form}__who` && person?.subject === name);
        const login = TABLE[kind].login ? `${kind} ${name}@${new URL(world.provider.issuer).host}` : undefined;
        expect([name, kind, form, ...new Set(own.map((row) => row.login))]).toEqual([name, kind, form, login]);
      }

  // A token of the configuration is nobody's: it gets what everybody gets, and never a login of a person.
  const main = await connectWith(world.origin, TOKEN, FIRST);
  for (const kind of KINDS) {
    const before = arrived.length;
    await callApi(main, kind);
    const asWhom = arrived.slice(before).map(({ who }) => who);
    expect([kind, ...asWhom]).toEqual([kind, kind === "shared" ? "everybody" : "nobody"]);
  }

  // After the end nothing goes out for her, and all goes on for him.
  const { place, people, authorizations } = world;
  await endAccess({ place, people, authorizations }, { issuer: world.provider.issuer, subject: "alice" }, "a test");
  await vi.waitFor(async () => expect((await world.ping(alice.access)).status).toBe(401), 10_000);
  const before = arrived.length;
  for (const kind of KINDS) await expect(callApi(alice.client, kind)).rejects.toThrow();
  expect(arrived.slice(before)).toEqual([]);
  expect(await world.useEverything(bob.client)).toEqual(expectedOf("bob"));

  // Let in again, she has to log in again where she had logins of her own.
  await people.readmit({ issuer: world.provider.issuer, subject: "alice" });
  const again = await world.comeIn("alice");
  const since = arrived.length;
  for (const kind of ["person", "key"] as const) expect(await callApi(again.client, kind)).toContain("/connect/");
  expect(arrived.slice(since)).toEqual([]);
  for (const kind of ["exchange", "signed"] as const) await callApi(again.client, kind);
  expect(arrived.slice(since).map(({ who }) => who)).toEqual(["alice", "alice"]);

  // What clients come with reaches no server.
  for (const token of [...tokensOf(), TOKEN]) expect(JSON.stringify(world.headers)).not.toContain(token);
});

function expectedOf(name: Name) {
  return KINDS.flatMap((kind) =>
    FORMS.flatMap((form) => WAYS[form].map((way) => `${kind} ${form} ${way} as ${TABLE[kind].as(name)}`)),
  );
}

async function callApi(client: Client, kind: Kind): Promise<string> {
  return JSON.stringify(await client.callTool({ name: `${kind}-api__who`, arguments: {} }));
}

interface Arrival {
  readonly kind: Kind;
  readonly form: Form;
  readonly way: string;
  readonly who: string;
}

/** A gateway with a server and an API of each kind, and people who log in at a real provider. */
async function openWorld() {
  const auth = await startAuthServer();
  const keys = new Map<string, string>();
  const headers: IncomingHttpHeaders[] = [];
  const arrived: Arrival[] = [];
  const issuers = { gateway: "", provider: "" };
  const whoIs = (kind: Kind, given: IncomingHttpHeaders) => readWho(kind, given, { auth, keys, issuers });
  const note = async (one: Omit<Arrival, "who">, given: IncomingHttpHeaders): Promise<string> => {
    headers.push(given);
    const who = await whoIs(one.kind, given);
    if ((WAYS[one.form] as readonly string[]).includes(one.way)) arrived.push({ ...one, who });
    return who;
  };
  const entries = { mcpServers: {} as Record<string, object>, openapi: {} as Record<string, object> };
  for (const kind of KINDS) {
    const rest = entryOf(kind, auth);
    const [url, api] = [await startServer(kind, note), await startApi(kind, note)];
    entries.mcpServers[`${kind}-mcp`] = { type: "http", url, ...rest };
    entries.openapi[`${kind}-api`] = { spec: `${api}/openapi.json`, baseUrl: api, ...rest };
  }
  const log = await openAuditLog({
    path: null,
    onError: (text, error) => {
      throw new Error(text, { cause: error });
    },
  });
  const world = await openLoginWorld({
    ...{ machines: 1, keepsTokens: true, watch: log.watch },
    config: { ...entries, permissions: { allow: ["*"] }, toolSearch: "off", builtins: "off" },
  });
  Object.assign(issuers, { gateway: world.origin, provider: world.provider.issuer });
  const given: string[] = [];
  return {
    ...{ ...world, provider: world.provider, arrived, headers, log },
    tokensOf: () => given,
    sent: (kinds: readonly Kind[]) => arrived.filter(({ kind }) => kinds.includes(kind)),
    ping: (token: string) =>
      fetch(`${world.origin}/mcp`, { method: "POST", headers: { authorization: `Bearer ${token}` }, body: "{}" }),
    async comeIn(name: Name) {
      await world.provider.setUser(name, { name, groups: [] });
      const { jar } = await world.logIn(name);
      const { access } = await letClientIn(jar, world.origin);
      const client = await connectWith(world.origin, access, FIRST);
      given.push(access);
      return { name, jar, client, access };
    },
    async logInEverywhere(name: Name, jar: BrowserJar): Promise<void> {
      for (const form of FORMS) {
        auth.user = name;
        const done = await jar.submit(await jar.open(`${world.origin}/connect?server=person-${form}`));
        expect(done.text).toContain("You are connected");
        const key = `key-of-${name}-at-${form}-0123456789`;
        keys.set(key, name);
        await jar.submit(await jar.open(`${world.origin}/connect?server=key-${form}`), { key });
      }
    },
    /** What arrived, in the order of the table. */
    async useEverything(client: Client): Promise<readonly string[]> {
      const before = arrived.length;
      for (const kind of KINDS) {
        await vi.waitFor(async () => {
          const names = (await client.listTools()).tools.map((tool) => tool.name);
          expect(names).toContain(`${kind}-mcp__who`);
        }, 20_000);
        await client.callTool({ name: `${kind}-mcp__who`, arguments: {} });
        await client.getPrompt({ name: `${kind}-mcp__hello` });
        await client.readResource({ uri: `${kind}://page` });
        await callApi(client, kind);
      }
      return arrived.slice(before).map(({ kind, form, way, who }) => `${kind} ${form} ${way} as ${who}`);
    },
  };
}

function entryOf(kind: Kind, { origin }: AuthServer): object {
  const oauth = { clientId: "known-client", authorizationUrl: `${origin}/authorize`, tokenUrl: `${origin}/token` };
  switch (kind) {
    case "none":
      return { credentials: kind };
    case "shared":
      return { headers: { Authorization: `Bearer ${COMMON}` } };
    case "person":
      return { credentials: kind, oauth };
    case "key":
      return { credentials: { kind, header: "x-api-key" } };
    case "exchange":
      return { credentials: { kind, resource: RESOURCE, scopes: ["tools:call"] } };
    case "signed":
      return { credentials: { kind, audience: AUDIENCE } };
  }
}

interface Proofs {
  readonly auth: AuthServer;
  readonly keys: ReadonlyMap<string, string>;
  readonly issuers: { readonly gateway: string; readonly provider: string };
}

/** Whom a server of that kind takes somebody for; each knows its own proofs alone. */
async function readWho(kind: Kind, given: IncomingHttpHeaders, { auth, keys, issuers }: Proofs): Promise<string> {
  const { authorization, "x-api-key": key, cookie } = given;
  if (authorization === undefined && key === undefined && cookie === undefined) return "nobody";
  const token = authorization?.replace(/^Bearer /, "") ?? "";
  const read = async (keySet: string, options: object): Promise<string> => {
    const { payload } = await jwtVerify(token, createRemoteJWKSet(new URL(keySet)), options);
    return kind === "signed" ? String((payload.sub_id as { sub: string }).sub) : String(payload.sub);
  };
  const odd = `a stranger with ${authorization ?? key}`;
  switch (kind) {
    case "none":
      return odd;
    case "shared":
      return token === COMMON && key === undefined ? "everybody" : odd;
    case "person":
      return (key === undefined && auth.valid.has(token) && auth.owners.get(token)) || odd;
    case "key":
      return (authorization === undefined && keys.get(String(key))) || odd;
    case "exchange":
      return read(`${issuers.provider}/jwks`, { audience: RESOURCE, issuer: issuers.provider }).catch(() => odd);
    case "signed":
      return read(`${issuers.gateway}/.well-known/jwks.json`, { audience: AUDIENCE }).catch(() => odd);
  }
}

type Note = (one: Omit<Arrival, "who">, given: IncomingHttpHeaders) => Promise<string>;

async function startServer(kind: Kind, note: Note): Promise<string> {
  const { answer } = statelessAnswer(undefined, () => buildServer(kind));
  const { url } = await listen(async (request, response, body) => {
    const way = body.startsWith("{") ? String(JSON.parse(body).method) : "";
    const who = await note({ kind, form: "mcp", way }, request.headers);
    // Where people have to prove who they are, nobody else is let in.
    if (who === "nobody" && kind !== "none") return response.writeHead(401).end();
    return answer(request, response, body);
  });
  return url;
}

function buildServer(kind: Kind): McpServer {
  const server = new McpServer({ name: kind, version: "1" });
  server.registerTool("who", { inputSchema: z.object({}) }, () => ({ content: [{ type: "text", text: "you" }] }));
  server.registerPrompt("hello", {}, () => ({
    messages: [{ role: "user", content: { type: "text", text: "hello" } }],
  }));
  server.registerResource("page", `${kind}://page`, {}, () => ({
    contents: [{ uri: `${kind}://page`, text: "page" }],
  }));
  return server;
}

async function startApi(kind: Kind, note: Note): Promise<string> {
  const operation = { operationId: "who", summary: "Who is asking", responses: { 200: { description: "a name" } } };
  const document = { openapi: "3.1.0", info: { title: "API", version: "1" }, paths: { "/who": { get: operation } } };
  const { origin } = await listen(async (request, response) => {
    const who = await note({ kind, form: "api", way: `${request.method} ${request.url}` }, request.headers);
    const isDocument = request.url === "/openapi.json";
    // Its document is the same for everybody, and nobody's proof is sent for it.
    if (isDocument && kind !== "shared") expect([kind, who]).toEqual([kind, "nobody"]);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(isDocument ? document : { name: "you" }));
  });
  return origin;
}
