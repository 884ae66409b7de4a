import { describe, expect, test, vi } from "vitest";
import { nameList } from "../../src/core/codes/origin.ts";
import { clientProfile, mainProfile } from "../../src/runtime/crib/profile.ts";
import type { Incident } from "../../src/surfaces/gateway/gateway.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { type GatewayWorld, openGateway } from "./world.ts";

const PATIENCE = { timeout: 20_000 };

const JSON_HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: "POST",
    headers: { ...JSON_HEADERS, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

interface Reply {
  // biome-ignore lint/suspicious/noExplicitAny: whatever the gateway says is looked at by the tests.
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string };
}

async function read(answer: Promise<Response> | Response): Promise<Reply> {
  return (await (await answer).json()) as Reply; // Every answer is one of both.
}

async function initialize(url: string, headers: Record<string, string> = {}, version = "2025-11-25") {
  const params = { ...INITIALIZE.params, protocolVersion: version };
  const answer = await post(url, { ...INITIALIZE, params }, headers);
  const session = { "mcp-session-id": answer.headers.get("mcp-session-id") ?? "", ...headers };
  await post(url, { jsonrpc: "2.0", method: "notifications/initialized" }, session);
  return { session, result: (await read(answer)).result };
}

const modern = (method: string, params: object = {}, headers: Record<string, string> = {}) =>
  [
    { jsonrpc: "2.0", id: "m", method, params: { ...params, _meta: META } },
    { "mcp-protocol-version": "2026-07-28", "mcp-method": method, ...headers },
  ] as const;

describe("what is wrong with a request is said as the protocol wants it", () => {
  test.each([
    ["no JSON", "{", 400, -32700],
    ["no JSON-RPC", { id: 5, method: "ping" }, 400, -32600],
    ["a number instead of an object", 7, 400, -32600],
    ["an empty array", [], 400, -32000],
    ["a request without a session", { jsonrpc: "2.0", id: 5, method: "ping" }, 400, -32000],
  ])("%s", async (_, body, status, code) => {
    const { url } = await openGateway({});
    const answer = await post(url, body);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ jsonrpc: "2.0", error: { code } });
  });

  test("another type of content is not read, and another verb not understood", async () => {
    const { url } = await openGateway({});
    expect((await post(url, "a=b", { "content-type": "application/x-www-form-urlencoded" })).status).toBe(415);
    expect((await post(url, INITIALIZE, { accept: "text/html" })).status).toBe(406);
    expect((await fetch(url, { method: "PUT" })).status).toBe(405);
  });

  test("a message over the limit is refused before it is read to the end", async () => {
    const { url } = await openGateway({}, { gateway: { limits: { messageBytes: 1_000 } } });
    const answer = await post(url, { ...INITIALIZE, params: { ...INITIALIZE.params, more: "x".repeat(2_000) } });
    expect(answer.status).toBe(413);
  });

  test("an unknown session is not found, and a notification for it is not either", async () => {
    const { url } = await openGateway({});
    const headers = { "mcp-session-id": "0".repeat(32) };
    expect((await post(url, { jsonrpc: "2.0", id: 1, method: "ping" }, headers)).status).toBe(404);
    expect((await post(url, { jsonrpc: "2.0", method: "notifications/initialized" }, headers)).status).toBe(404);
    expect((await fetch(url, { headers: { ...headers, accept: "text/event-stream" } })).status).toBe(404);
    expect((await fetch(url, { method: "DELETE", headers })).status).toBe(404);
  });

  test("unknown methods, parameters that make no sense, and cursors of nobody", async () => {
    const { url } = await openGateway({});
    const { session } = await initialize(url);
    const ask = async (method: string, params: unknown) =>
      (await read(post(url, { jsonrpc: "2.0", id: 9, method, params }, session))).error?.code;
    expect(await ask("no/such", {})).toBe(-32601);
    expect(await ask("tools/call", {})).toBe(-32602);
    expect(await ask("tools/call", { name: "no_such_tool" })).toBe(-32602);
    expect(await ask("tools/call", { name: "toString" })).toBe(-32602);
    expect(await ask("tools/call", [])).toBe(-32600);
    expect(await ask("tools/list", { cursor: "x" })).toBe(-32602);
    expect(await ask("prompts/list", { cursor: "at-99" })).toBe(-32602);
    expect(await ask("logging/setLevel", { level: "loud" })).toBe(-32602);
    expect(await ask("completion/complete", {})).toBe(-32602);
  });

  test("a version that nobody knows is answered with the newest, and refused in a header", async () => {
    const { url } = await openGateway({});
    const { session, result } = await initialize(url, {}, "1999-01-01");
    expect(result.protocolVersion).toBe("2025-11-25");
    const headers = { ...session, "mcp-protocol-version": "1999-01-01" };
    expect((await post(url, { jsonrpc: "2.0", id: 2, method: "ping" }, headers)).status).toBe(400);
  });
});

describe("sessions", () => {
  test("end when they are ended, and leave no view", async () => {
    const { url, crib, gateway } = await openGateway({});
    const { session } = await initialize(url);
    expect(crib.views).toHaveLength(1);
    expect(gateway.clients).toMatchObject([{ label: "raw", era: "legacy", principal: "main", calls: 0 }]);
    expect(JSON.stringify(gateway.clients)).not.toContain(session["mcp-session-id"]);
    expect((await fetch(url, { method: "DELETE", headers: session })).status).toBe(200);
    expect(crib.views).toEqual([]);
    expect((await post(url, { jsonrpc: "2.0", id: 1, method: "ping" }, session)).status).toBe(404);
  });

  test("that somebody else presents are refused, and that is told", async () => {
    const incidents: Incident[] = [];
    const { url } = await openGateway(
      {},
      {
        profileOf: (token) => mainProfile(token ?? "nobody"),
        gateway: { onIncident: (incident) => void incidents.push(incident) },
      },
    );
    const { session } = await initialize(url, { authorization: "Bearer alice" });
    const stolen = { ...session, authorization: "Bearer mallory" };
    for (const attempt of [
      post(url, { jsonrpc: "2.0", id: 1, method: "tools/list" }, stolen),
      post(url, { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }, stolen),
      fetch(url, { headers: { ...stolen, accept: "text/event-stream" } }),
      fetch(url, { method: "DELETE", headers: stolen }),
    ])
      expect((await attempt).status).toBe(404);
    expect(incidents).toHaveLength(4);
    expect(incidents[0]).toMatchObject({ code: "session.principal_mismatch", principal: "mallory" });
    expect(JSON.stringify(incidents)).not.toContain(session["mcp-session-id"]);
    expect((await post(url, { jsonrpc: "2.0", id: 1, method: "ping" }, session)).status).toBe(200);
  });

  test("stay with their token, whatever its label and its agent become with another configuration", async () => {
    const entry = {
      origin: { kind: "default" },
      name: null,
      token: "t",
      agent: null,
      include: null,
      code: null,
      profile: null,
      exclude: nameList([]),
    } as const;
    let profile = clientProfile(entry, "client-2");
    const { url, gateway } = await openGateway({}, { profileOf: () => profile });
    const { session } = await initialize(url);
    const ping = async () => (await post(url, { jsonrpc: "2.0", id: 1, method: "ping" }, session)).status;
    profile = clientProfile(entry, "client-1-reviewer");
    expect(await ping()).toBe(200);
    profile = clientProfile({ ...entry, token: "u" }, "client-2");
    expect(await ping()).toBe(404);
    expect(gateway.clients).toHaveLength(1);
  });

  test("of 2025-03-26 take arrays of messages, others do not", async () => {
    const { url } = await openGateway({});
    const batch = [
      { jsonrpc: "2.0", id: 1, method: "ping" },
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 9 } },
      { jsonrpc: "2.0", id: "two", method: "no/such" },
      { nonsense: true },
    ];
    const { session } = await initialize(url, {}, "2025-03-26");
    expect(await (await post(url, batch, session)).json()).toMatchObject([
      { id: 1, result: {} },
      { id: "two", error: { code: -32601 } },
      { id: null, error: { code: -32600 } },
    ]);
    const other = await initialize(url);
    expect((await post(url, batch, other.session)).status).toBe(400);
  });

  test("a second request with an id that is being worked on is refused, and the first goes on", async () => {
    const { url, crib } = await openGateway({ permissions: { ask: ["view"] }, gateway: { approvals: "inspector" } });
    const { session } = await initialize(url);
    const call = { jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "view", arguments: { path: "a" } } };
    const first = post(url, call, session);
    await vi.waitFor(() => expect(crib.approvals.pending).toHaveLength(1), { timeout: 20_000 });
    expect((await read(post(url, { ...call, method: "ping" }, session))).error?.code).toBe(-32600);
    void crib.approvals.answer(crib.approvals.pending[0]?.id ?? "", { decision: "deny", reason: "not today" });
    expect(JSON.stringify((await read(first)).result)).toContain("not today");
  });

  test("a call that takes long is kept alive with signs of life, and answered all the same", async () => {
    const clock = createFakeClock();
    const { url, crib } = await openGateway(
      { permissions: { ask: ["view"] }, gateway: { approvals: "inspector" } },
      { gateway: { clock } },
    );
    const { session } = await initialize(url);
    const call = { jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "view", arguments: { path: "a" } } };
    const waiting = post(url, call, session);
    await vi.waitFor(() => expect(crib.approvals.pending).toHaveLength(1), PATIENCE);
    clock.advance(30_000);
    const answer = await waiting;
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    void crib.approvals.answer(crib.approvals.pending[0]?.id ?? "", { decision: "deny", reason: "not today" });
    expect(await answer.text()).toMatch(/^: ping\n\nevent: message\ndata: .*not today.*\n\n$/);
  });

  test("that fall silent are let go, and those with an open stream or request are kept", async () => {
    const clock = createFakeClock();
    const { url, crib, gateway } = await openGateway({}, { gateway: { clock, limits: { idle: 60_000 } } });
    await initialize(url);
    const { session } = await initialize(url);
    const stream = await fetch(url, { headers: { ...session, accept: "text/event-stream" } });
    expect(stream.status).toBe(200);
    await post(url, ...modern("tools/list"));
    expect(crib.views).toHaveLength(3);
    clock.advance(59_000);
    expect(gateway.clients).toHaveLength(3);
    clock.advance(62_000);
    await vi.waitFor(() => expect(crib.views).toHaveLength(1), { timeout: 20_000 });
    await stream.body?.cancel();
    await vi.waitFor(() => {
      clock.advance(61_000);
      expect(gateway.clients).toEqual([]);
    }, PATIENCE);
    await vi.waitFor(() => expect(crib.views).toEqual([]), { timeout: 20_000 });
    expect(clock.pending).toEqual([]);
  });
});

test("a client that left without a word is shown no more after a minute, though its session can come back", async () => {
  const clock = createFakeClock();
  const { url, crib, gateway } = await openGateway({}, { gateway: { clock } });
  const { session } = await initialize(url);
  expect(gateway.clients).toMatchObject([{ isHere: true }]);
  let told = 0;
  gateway.changes(() => {
    told += 1;
  });
  clock.advance(61_000);
  clock.advance(26_000);
  expect(gateway.clients).toMatchObject([{ isHere: false }]);
  expect(told).toBeGreaterThan(0);
  expect(crib.views).toHaveLength(1);
  await post(url, { jsonrpc: "2.0", id: 3, method: "ping" }, session);
  expect(gateway.clients).toMatchObject([{ isHere: true }]);
});

describe("addresses", () => {
  const CONFIG = { agents: [{ name: "reader", description: "reads", tools: ["view", "grep"] }] };
  const names = async (url: string, headers: Record<string, string> = {}) => {
    const [body, own] = modern("tools/list");
    const { result, error } = await read(post(url, body, { ...own, ...headers }));
    return result?.tools.map(({ name }: { name: string }) => name) ?? error?.message;
  };

  test("narrow what a client sees: agent, include and exclude", async () => {
    const { url } = await openGateway(CONFIG);
    expect(await names(`${url}?agent=reader`)).toEqual(["grep", "view"]);
    expect(await names(`${url}?include=view,glob&include=grep`)).toEqual(["glob", "grep", "view"]);
    expect(await names(`${url}?include=view,glob&exclude=glob`)).toEqual(["view"]);
    expect(await names(`${url}?agent=reader&exclude=view`)).toEqual(["grep"]);
    expect(await names(`${url}?agent=nobody`)).toContain("nobody");
  });

  test.each([
    ["?exlude=view", "did you mean ?exclude="],
    ["?include=view&Exclude=view", "did you mean ?exclude="],
    ["?includeTools=view", "it takes ?agent=, ?include=, ?exclude="],
    ["?agent=reader&agent=writer", "one agent"],
  ])("with a parameter that is probably meant to narrow are refused: %s", async (query, text) => {
    const { url } = await openGateway(CONFIG);
    expect(await names(url + query)).toContain(text);
  });

  test("may carry parameters of others", async () => {
    const { url } = await openGateway(CONFIG);
    expect(await names(`${url}?include=view&utm_source=x&profile=me&v=1&agent=reader&agent=reader`)).toEqual(["view"]);
  });

  test("never widen what a token allows", async () => {
    const clients = [
      { token: "t", include: ["view", "glob"] },
      { token: "u", agent: "reader" },
    ];
    const world: { current?: GatewayWorld } = {};
    world.current = await openGateway(
      { ...CONFIG, gateway: { clients } },
      {
        profileOf(token) {
          const client = world.current?.crib.config.gateway.clients.find((one) => one.token === token);
          return client === undefined ? mainProfile() : clientProfile(client, `client-${token}`);
        },
      },
    );
    const { url } = world.current;
    expect(await names(`${url}?include=view,grep`, { authorization: "Bearer t" })).toEqual(["view"]);
    expect(await names(`${url}?include=*`, { authorization: "Bearer t" })).toEqual(["glob", "view"]);
    expect(await names(`${url}?agent=other`, { authorization: "Bearer u" })).toContain("reader");
  });
});

describe("requests without a session", () => {
  test("must say who asks, in which version, and nothing else in their headers", async () => {
    const { url } = await openGateway({});
    const code = async (body: object, headers: Record<string, string>) => {
      const answer = await post(url, body, headers);
      return [answer.status, (await read(answer)).error?.code];
    };
    const [body, headers] = modern("tools/list");
    const bare = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    expect(await code(body, headers)).toEqual([200, undefined]);
    expect(await code(bare, headers)).toEqual([400, -32602]);
    expect(await code(body, { ...headers, "mcp-method": "tools/call" })).toEqual([400, -32020]);
    expect(await code(body, { ...headers, "mcp-protocol-version": "2025-11-25" })).toEqual([400, -32020]);
    expect(await code(body, {})).toEqual([400, -32020]);
    expect(await code(...modern("ping"))).toEqual([404, -32601]);
    expect(await code(...modern("initialize"))).toEqual([404, -32601]);
    const call = { name: "view", arguments: {} };
    expect(await code(...modern("tools/call", call, { "mcp-name": "bash" }))).toEqual([400, -32020]);
    expect(await code(...modern("tools/call", call))).toEqual([400, -32020]);
    const encoded = `=?base64?${Buffer.from("view").toString("base64")}?=`;
    expect(await code(...modern("tools/call", call, { "mcp-name": encoded }))).toEqual([200, undefined]);
    const [unknown, own] = modern("tools/list");
    const meta = { ...META, "io.modelcontextprotocol/protocolVersion": "2030-01-01" };
    expect(
      await code({ ...unknown, params: { _meta: meta } }, { ...own, "mcp-protocol-version": "2030-01-01" }),
    ).toEqual([400, -32022]);
  });

  test("share one view for each principal and address, and none is kept for a request that is refused", async () => {
    const { url, crib } = await openGateway({}, { profileOf: (token) => mainProfile(token ?? "main") });
    await post(url, ...modern("no/such"));
    expect(crib.views).toEqual([]);
    const [body, headers] = modern("tools/list");
    await Promise.all([1, 2, 3].map(() => post(url, body, headers)));
    await post(`${url}?include=view`, body, headers);
    await post(url, body, { ...headers, authorization: "Bearer alice" });
    expect(crib.views).toHaveLength(3);
  });

  test("a state that was given to one is worth nothing to another, nor for another call, nor twice", async () => {
    const { url } = await openGateway(
      { permissions: { ask: ["view"] } },
      { profileOf: (token) => mainProfile(token ?? "main") },
    );
    const call = async (params: object, headers: Record<string, string> = {}) => {
      const [body, own] = modern("tools/call", params, { "mcp-name": "view" });
      const meta = { ...META, "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } };
      const withMeta = { ...body, params: { ...params, _meta: meta } };
      return read(post(url, withMeta, { ...own, ...headers }));
    };
    const given = { name: "view", arguments: { path: "a.txt" } };
    const first = (await call(given)).result;
    expect(first).toMatchObject({ resultType: "input_required", requestState: expect.any(String) });
    const answerTo = ({ inputRequests }: { inputRequests: object }, decision: string) =>
      Object.fromEntries(Object.keys(inputRequests).map((key) => [key, { action: "accept", content: { decision } }]));
    const inputResponses = answerTo(first, "deny");
    const retry = { ...given, inputResponses, requestState: first.requestState };
    expect((await call(retry, { authorization: "Bearer mallory" })).error?.code).toBe(-32602);
    expect((await call({ ...retry, arguments: { path: "b.txt" } })).error?.code).toBe(-32602);
    expect((await call({ ...retry, requestState: `${first.requestState}x` })).error?.code).toBe(-32602);
    expect((await call({ ...retry, inputResponses: { any: 5 } })).error?.code).toBe(-32602);
    const again = (await call({ ...retry, inputResponses: {} })).result;
    expect(again).toMatchObject({ resultType: "input_required" });
    const guess = { approval: { action: "accept", content: { decision: "allow once" } } };
    expect(
      (await call({ ...given, inputResponses: { ...guess, ...answerTo(first, "allow once") } })).result,
    ).toMatchObject({
      resultType: "input_required",
    });
    const last = await call({ ...retry, requestState: again.requestState });
    expect(last.result).toMatchObject({ isError: true, resultType: "complete" });
    expect((await call({ ...retry, requestState: again.requestState })).error?.code).toBe(-32602);
  });
});
