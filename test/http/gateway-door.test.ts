import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { createTraces } from "../../src/runtime/traces/traces.ts";
import { createGateway } from "../../src/surfaces/gateway/gateway.ts";
import type { CallView } from "../../src/surfaces/http/api/api.ts";
import type { FrontClients } from "../../src/surfaces/http/api/ports.ts";
import type { McpPort } from "../../src/surfaces/http/door/http-server.ts";
import { listen } from "../support/loopback-mcp.ts";
import { CLIENT_TOKEN, readAnswer, TOKEN } from "./door.ts";
import { entry, openInspector } from "./inspector.ts";

const CONFIG = {
  toolSearch: "off",
  mcpServers: { it: entry() },
  permissions: { allow: ["it/*"] },
  agents: [{ name: "reviewer", description: "reads", tools: ["view", "grep"] }],
  gateway: { clients: [{ token: CLIENT_TOKEN, agent: "reviewer", exclude: ["execute"] }] },
};

/** The whole way: door, gateway, crib, server. */
async function openAll() {
  let mcp: McpPort | null = null;
  const inspector = await openInspector(CONFIG, {
    door: { mcp: async (...exchange) => mcp?.(...exchange) },
  });
  const gateway = createGateway(inspector.crib, { version: "1" });
  onTestFinished(() => gateway.close());
  mcp = gateway.handleHttp;
  const connect = async (mode: "legacy" | "auto", token: string = TOKEN, query = "") => {
    const client = new Client({ name: "official", version: "1" }, { versionNegotiation: { mode } });
    const requestInit = { headers: { Authorization: `Bearer ${token}` } };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${inspector.door.origin}/mcp${query}`), { requestInit }),
    );
    onTestFinished(() => client.close());
    return client;
  };
  return { ...inspector, gateway, connect };
}

const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);

describe.each(["legacy", "auto"] as const)("an official client (%s)", (mode) => {
  test("gets through the door, and is shown with what it called", async () => {
    const { connect, json } = await openAll();
    const client = await connect(mode);
    expect(await namesOf(client)).toContain("it__echo");
    const { content } = await client.callTool({ name: "it__echo", arguments: { text: "hello" } });
    expect(content).toEqual([{ type: "text", text: "hello" }]);
    const [call] = await json<readonly CallView[]>("/api/calls");
    expect(call).toMatchObject({ tool: "it/echo", arguments: { text: "hello" }, result: { type: "success" } });
  });

  test("with a client's token sees that client's part, and addresses only narrow it", async () => {
    const { connect } = await openAll();
    expect((await namesOf(await connect(mode, CLIENT_TOKEN))).sort()).toEqual(["grep", "view"]);
    expect(await namesOf(await connect(mode, CLIENT_TOKEN, "?include=view,it/echo"))).toEqual(["view"]);
  });

  test("without a token it does not get in", async () => {
    const { connect } = await openAll();
    await expect(connect(mode, "wrong")).rejects.toThrow();
  });
});

test("the gateway's clients are those of the inspector, each by the session it works in", async () => {
  const { connect, gateway, crib } = await openAll();
  await connect("legacy");
  const front: FrontClients = gateway;
  expect(front.clients.map(({ sessionId }) => sessionId)).toEqual(crib.views.map(({ session }) => session.id));
});

test("a session that is presented with another token is refused", async () => {
  const { door } = await openAll();
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  const opened = await door.ask("/mcp", {
    method: "POST",
    headers,
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
  });
  const session = opened.headers.get("mcp-session-id") ?? "";
  expect(session).not.toBe("");
  await opened.text();
  const replay = (token: string) =>
    door.ask("/mcp", {
      method: "POST",
      token,
      headers: { ...headers, "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 2, method: "ping" }),
    });
  expect((await replay(TOKEN)).status).toBe(200);
  expect((await replay(CLIENT_TOKEN)).status).toBe(404);
});

test("a caller's trace goes on in the span of its call", async () => {
  const bodies: string[] = [];
  const { origin } = await listen((_request, response, body) => {
    bodies.push(body);
    response.end("{}");
  });
  const { connect, crib } = await openAll();
  const traces = createTraces({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: origin }, version: "1" });
  const client = await connect("legacy");
  for (const { session } of crib.views) session.on("*", (event) => traces?.record(session.id, event));
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  await client.callTool({ name: "it__echo", arguments: { text: "x" }, _meta: { traceparent } });
  await traces?.close();
  expect(JSON.parse(bodies[0] ?? "{}")).toMatchObject({
    resourceSpans: [
      {
        scopeSpans: [
          {
            spans: [
              { traceId: "0af7651916cd43dd8448eb211c80319c", parentSpanId: "b7ad6b7169203331", status: { code: 1 } },
            ],
          },
        ],
      },
    ],
  });
});

test("a client that sends too much without announcing it, and reads only then, is told so", async () => {
  const { door } = await openAll();
  const socket = door.dial();
  const lines = ["POST /mcp HTTP/1.1", "Host: localhost", `Authorization: Bearer ${TOKEN}`];
  const more = ["Content-Type: application/json", "Transfer-Encoding: chunked"];
  socket.pause().write(`${[...lines, ...more].join("\r\n")}\r\n\r\n`);
  const chunk = `100000\r\n${"x".repeat(0x100000)}\r\n`;
  const answered = readAnswer(socket);
  await new Promise((resolve) => socket.write(`${chunk.repeat(6)}0\r\n\r\n`, resolve));
  socket.resume();
  expect((await answered).status).toBe(413);
});
