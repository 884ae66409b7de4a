import { join } from "node:path";
import { expect, test } from "vitest";
import { startRuntime, type TestClient } from "../support/copilot-client.ts";
import { listen, statelessAnswer } from "../support/loopback-mcp.ts";
import { shortly } from "../support/poll.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

/** A server that lets in anyone who has the token of the moment, and says what it misses in others. */
async function guarded() {
  const wanted = { token: "first", scope: null as string | null };
  const inner = statelessAnswer();
  const place = "/.well-known/oauth-protected-resource";
  const seen: (string | undefined)[] = [];
  const server = await listen((request, response, body) => {
    if (request.url === place) return response.end('{"resource": "here"}');
    seen.push(request.headers.authorization);
    if (request.headers.authorization === `Bearer ${wanted.token}`) return inner.answer(request, response, body);
    const { scope } = wanted;
    const said =
      scope === null
        ? `resource_metadata="${server.origin}${place}", error="invalid_token"`
        : `scope="${scope}", error="insufficient_scope"`;
    return response.writeHead(scope === null ? 401 : 403, { "www-authenticate": `Bearer ${said}` }).end();
  });
  return { server, wanted, seen };
}

async function open(url: string, isInterested = true): Promise<TestClient> {
  const { project: folder } = tempWorkspace();
  const client = startRuntime(join(folder, "home"), folder).connect();
  const mcpServers = { safe: { type: "http", url, tools: ["*"], oauthClientId: "app" } };
  await client.request("session.create", { sessionId: "s", mcpServers, requestMcpApps: true });
  await client.request("session.permissions.setApproveAll", { sessionId: "s", enabled: true });
  const eventType = "mcp.oauth_required";
  if (isInterested) await client.request("session.eventLog.registerInterest", { sessionId: "s", eventType });
  return client;
}

const give = async (client: TestClient, requestId: unknown, accessToken?: string) =>
  client.request("session.mcp.oauth.handlePendingRequest", {
    sessionId: "s",
    requestId,
    result: accessToken === undefined ? { kind: "cancelled" } : { kind: "token", accessToken },
  });

async function statusOf(client: TestClient, isThere: (status: unknown) => boolean): Promise<unknown> {
  for (;;) {
    const { servers } = await client.request("session.mcp.list", { sessionId: "s" });
    const [{ status } = { status: null }] = servers as { status: unknown }[];
    if (isThere(status)) return status;
    await shortly();
  }
}

test("a server that wants a token gets the app's, another once that is refused, and a wider one for a wider scope", async () => {
  const { server, wanted, seen } = await guarded();
  const client = await open(server.url);
  await client.request("session.mcp.list", { sessionId: "s" });
  const first = await client.next("mcp.oauth_required");
  expect(first).toMatchObject({
    serverName: "safe",
    serverUrl: server.url,
    reason: "initial",
    resourceMetadata: '{"resource": "here"}',
    wwwAuthenticateParams: { error: "invalid_token" },
    staticClientConfig: { clientId: "app" },
  });
  expect(await give(client, first.requestId, "first")).toEqual({ success: true });
  expect(await give(client, first.requestId, "first")).toEqual({ success: false });
  expect(await statusOf(client, (status) => status === "connected")).toBe("connected");
  const call = () =>
    client.request("session.mcp.apps.callTool", {
      sessionId: "s",
      serverName: "safe",
      originServerName: "safe",
      toolName: "echo",
      arguments: { text: "hello" },
    });
  for (const [reason, token, scope] of [
    ["refresh", "second", null],
    ["upscope", "third", "more"],
  ] as const) {
    Object.assign(wanted, { token, scope });
    const calling = call();
    const asked = await client.next("mcp.oauth_required");
    expect(asked).toMatchObject({ reason });
    await give(client, asked.requestId, token);
    expect(await calling).toMatchObject({ content: [{ type: "text", text: "hello" }], isError: false });
  }
  Object.assign(wanted, { token: "fourth", scope: null });
  const calling = call();
  await give(client, (await client.next("mcp.oauth_required")).requestId);
  const again = await client.next("mcp.oauth_required");
  expect(again).toMatchObject({ reason: "reauth" });
  await give(client, again.requestId, "fourth");
  expect(await calling).toMatchObject({ isError: false });
  expect(new Set(seen)).toEqual(new Set([undefined, "Bearer first", "Bearer second", "Bearer third", "Bearer fourth"]));
});

test("an app that gives no token, and one that cannot be asked, leave the server wanting a login", async () => {
  const { server } = await guarded();
  const [asked, deaf] = [await open(server.url), await open(server.url, false)];
  await asked.request("session.mcp.list", { sessionId: "s" });
  await give(asked, (await asked.next("mcp.oauth_required")).requestId);
  for (const client of [asked, deaf])
    expect(await statusOf(client, (status) => status !== "pending")).toBe("needs-auth");
  expect(deaf.events.some(({ type }) => type === "mcp.oauth_required")).toBe(false);
});

test("an app may only use the tools of the server that brought it, in a session that has apps", async () => {
  const { server } = await guarded();
  const client = await open(server.url);
  const from = (originServerName: string) =>
    client.request("session.mcp.apps.listTools", { sessionId: "s", serverName: "safe", originServerName });
  await expect(from("other")).rejects.toThrow("only use the tools of its own server");
  expect(await from("safe")).toEqual({ tools: [] });
});
