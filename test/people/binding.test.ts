import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { callModern, createWanderer, eventsOf } from "../gateway/machines.ts";
import { entry } from "../http/inspector.ts";
import { startIssuer } from "./issuer.ts";
import { giveTokens, openPeopleGateway, type PeopleWorldOptions } from "./world.ts";

const SETTINGS = { profiles: { all: {} }, auth: { people: [{ everybody: true, profile: "all" }] } };
const CONFIG = { mcpServers: { it: entry() }, permissions: { allow: ["it/*"] }, toolSearch: "off" };

async function openWorld(
  options: PeopleWorldOptions = {},
  settings: Parameters<typeof openPeopleGateway>[0] = SETTINGS,
) {
  const world = await openPeopleGateway(settings, { config: CONFIG, ...options });
  const url = `${world.door.origin}/mcp`;
  const tokenOf = async (given: Parameters<typeof giveTokens>[1] = {}) => (await giveTokens(world, given)).accessToken;
  const join = async (token: string, capabilities: object = {}) => {
    const client = createWanderer(token);
    await client.initialize(url, capabilities);
    return client;
  };
  const mismatches = () => world.notes.filter(({ type }) => type === "session.principal_mismatch").length;
  return { ...world, url, tokenOf, join, mismatches };
}

/** What somebody with that token gets for a session id, from every kind of request; times in milliseconds. */
async function tryHandle(url: string, token: string, session: string, most = 6) {
  const headers = {
    ...{ authorization: `Bearer ${token}`, "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" },
    ...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
  };
  const post = (message: object): RequestInit => ({
    method: "POST",
    headers,
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
  });
  const answers: unknown[] = [];
  const requests = [
    post({ id: 1, method: "tools/list" }),
    post({ id: 2, method: "tasks/get", params: { taskId: "any" } }),
    post({ method: "notifications/cancelled", params: { requestId: 1 } }),
    { headers: { ...headers, accept: "text/event-stream" } },
    { headers: { ...headers, accept: "text/event-stream", "last-event-id": "1-1" } },
    { method: "DELETE", headers },
  ];
  for (const init of requests.slice(0, most)) {
    const answer = await fetch(url, init);
    answers.push([answer.status, await answer.text()]);
  }
  return answers;
}

describe("Mcp-Session-Id, Last-Event-ID and task id of another person", () => {
  test("answer like unknown ones, with a row in the log", async () => {
    const { url, tokenOf, join, mismatches } = await openWorld();
    const [alice, mallory] = [await tokenOf(), await tokenOf({ subject: "mallory" })];
    const client = await join(alice);
    const foreign = await tryHandle(url, mallory, client.session ?? "");
    expect(mismatches()).toBe(foreign.length);
    expect(foreign).toEqual(await tryHandle(url, mallory, "0".repeat(32)));
    expect(foreign[0]).toEqual([404, expect.stringContaining("Session not found")]);
    expect(mismatches()).toBe(foreign.length);
    expect((await client.request(url, "ping")).status).toBe(200);
  });

  test("the same from a machine that has never seen the session", async () => {
    const first = await openWorld();
    const second = await openWorld({ store: first.store });
    const [alice, mallory] = [await first.tokenOf(), await first.tokenOf({ subject: "mallory" })];
    const client = await first.join(alice);
    expect(await tryHandle(second.url, mallory, client.session ?? "")).toEqual(
      await tryHandle(second.url, mallory, "0".repeat(32)),
    );
    expect(second.mismatches()).toBe(6);
    expect((await client.request(second.url, "ping")).status).toBe(200);
  });
});

describe("session fixation", () => {
  test("a session survives new token bytes, but not another client, and not other people groups", async () => {
    const { url, tokenOf, join, authorizations, people } = await openWorld();
    const given = await giveTokens({ people, authorizations });
    const client = await join(given.accessToken);
    const session = client.session ?? "";
    const next = await authorizations.refresh(given.refreshToken, "https://claude.ai/client.json");
    const tries = async (token: string): Promise<unknown> => (await tryHandle(url, token, session, 1))[0];
    expect(await tries(next?.accessToken ?? "")).toMatchObject([200, expect.stringContaining("it__")]);
    const again = await join(next?.accessToken ?? "");
    const own = again.session ?? "";
    const unknown = [404, expect.stringContaining("Session not found")];
    for (const more of [
      { client: "https://vscode.dev/client.json" },
      { issuer: "https://other.example.com" },
      { subject: "bob" },
    ])
      expect((await tryHandle(url, await tokenOf(more), own))[0]).toEqual(unknown);
    // Other people groups than those it was opened with: it may have shown tools that are no longer theirs.
    expect((await tryHandle(url, await tokenOf({ groups: ["others"] }), own))[0]).toEqual(unknown);
  });

  test("a session that was opened before a login, with a token of the configuration, is not the person's", async () => {
    const world = await openWorld({}, { ...SETTINGS, clients: [{ token: "a-static-token" }] });
    const before = createWanderer("a-static-token");
    await before.initialize(world.url);
    const token = await world.tokenOf();
    expect((await tryHandle(world.url, token, before.session ?? ""))[0]).toMatchObject([404, expect.anything()]);
  });
});

test("two issuers, same subject: two persons, and nothing is shared", async () => {
  const [one, other] = [await startIssuer(), await startIssuer()];
  const { url, join, notes } = await openWorld(
    {},
    {
      profiles: { all: {}, none: { include: [] } },
      auth: {
        issuers: [{ issuer: one.issuer }, { issuer: other.issuer }],
        people: [
          { issuer: one.issuer, profile: "all" },
          { issuer: other.issuer, profile: "none" },
        ],
      },
    },
  );
  const [first, second] = [await join(await one.sign()), await join(await other.sign())];
  const toolsOf = async (client: typeof first) =>
    (await client.request(url, "tools/list")).result.tools.map(({ name }: { name: string }) => name);
  expect(await toolsOf(first)).toContain("it__echo");
  expect(await toolsOf(second)).not.toContain("it__echo");
  const [answer] = await tryHandle(url, await other.sign(), first.session ?? "");
  expect(answer).toEqual([404, expect.stringContaining("Session not found")]);
  expect(notes.filter(({ type }) => type === "session.principal_mismatch")).toHaveLength(6);
});

describe("requestState of another person", () => {
  test("is worth nothing, and answers like an unknown one", async () => {
    const { url, tokenOf } = await openWorld({ config: { ...CONFIG, permissions: { ask: ["it/*"] } } });
    const [alice, mallory, elsewhere] = [
      await tokenOf(),
      await tokenOf({ subject: "mallory" }),
      await tokenOf({ client: "https://vscode.dev/client.json" }),
    ];
    const call = { name: "it__echo", args: { text: "secret" } };
    const asked = await callModern(url, { ...call, token: alice });
    expect(asked.result).toMatchObject({ resultType: "input_required", requestState: expect.any(String) });
    const { requestState, inputRequests } = asked.result;
    const inputResponses = Object.fromEntries(
      Object.keys(inputRequests).map((key) => [key, { action: "accept", content: { decision: "allow once" } }]),
    );
    const back = { requestState, inputResponses };
    const unknown = await callModern(url, { ...call, token: mallory }, { ...back, requestState: `${requestState}x` });
    for (const token of [mallory, elsewhere]) expect(await callModern(url, { ...call, token }, back)).toEqual(unknown);
    expect((await callModern(url, { ...call, token: alice }, back)).result).toMatchObject({ resultType: "complete" });
  });
});

test("one budget: requests of a person count together, whatever token and client they come with", async () => {
  const { tryToken, tokenOf } = await openWorld({ limits: { requestsPerSecond: 1, burst: 3 } });
  const [one, two] = [await tokenOf(), await tokenOf({ client: "https://vscode.dev/client.json" })];
  const statuses = [await tryToken(one), await tryToken(two), await tryToken(one), await tryToken(two)];
  expect(statuses).toEqual([200, 200, 200, 429]);
  expect(await tryToken(await tokenOf({ subject: "bob" }))).toBe(200);
});

describe("an official client", () => {
  test.each(["legacy", "auto"] as const)(
    "(%s) works with a token of a person, and is cut off when that is revoked",
    async (mode) => {
      const world = await openWorld();
      const { accessToken } = await giveTokens(world);
      const client = new Client({ name: "official", version: "1" }, { versionNegotiation: { mode } });
      const requestInit = { headers: { Authorization: `Bearer ${accessToken}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(world.url), { requestInit }));
      onTestFinished(() => client.close());
      const answer = await client.callTool({ name: "it__echo", arguments: { text: "hello" } });
      expect(answer.content).toEqual([{ type: "text", text: "hello" }]);
      await world.authorizations.revoke(accessToken, "https://claude.ai/client.json");
      await expect
        .poll(() =>
          client.listTools().then(
            () => "listed",
            () => "refused",
          ),
        )
        .toBe("refused");
    },
  );
});

test("streams of a person carry nothing of another's", async () => {
  const { url, tokenOf, join } = await openWorld();
  const [alice, bob] = [await join(await tokenOf()), await join(await tokenOf({ subject: "bob" }))];
  const stream = await bob.open(url);
  const seen: unknown[] = [];
  const reading = (async () => {
    for await (const event of eventsOf(stream)) seen.push(event);
  })();
  await alice.request(url, "tools/call", { name: "it__echo", arguments: { text: "canary of alice" } });
  await bob.end(url);
  await reading;
  expect(JSON.stringify(seen)).not.toContain("canary");
});
