import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { mainProfile } from "../../src/runtime/crib/profile.ts";
import { answerDeep } from "../fixtures/deep-server.mjs";
import { listen } from "../support/loopback-mcp.ts";
import { connect, createLineClient, textOf } from "./clients.ts";
import { openGateway } from "./world.ts";

const SERVER = fileURLToPath(new URL("../fixtures/deep-server.mjs", import.meta.url));
const DEEP = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;

/** How an event may be written: in one line, in many, behind what ends a line too, and behind a byte order mark. */
const EVENTS = {
  events: (text: string) => `data: ${text}\n\n`,
  lines: (text: string) => `data: ${text.replaceAll("{", "{\ndata: ")}\n\n`,
  returns: (text: string) => `:\rdata: "]\r\rdata: ${text}\r\r\n\n`,
  marked: (text: string) => `\uFEFFdata: ${text}\n\n`,
};

/** The same server over HTTP, its answers as JSON or as events. */
async function serve(form: "json" | keyof typeof EVENTS) {
  const { url } = await listen((request, response, body) => {
    if (request.method !== "POST") return response.writeHead(405).end();
    const messages = answerDeep(JSON.parse(body));
    if (messages.length === 0) return response.writeHead(202).end();
    if (form === "json") return response.writeHead(200, { "content-type": "application/json" }).end(messages.at(-1));
    response.writeHead(200, { "content-type": "text/event-stream" });
    return response.end(messages.map(EVENTS[form]).join(""));
  });
  return { type: "http", url };
}

const SERVERS: readonly (readonly [string, () => Promise<object>])[] = [
  ["on stdio", async () => ({ command: process.execPath, args: [SERVER] })],
  ["that answers with JSON", () => serve("json")],
  ["that answers with events", () => serve("events")],
  ["that answers with events of many lines", () => serve("lines")],
  ["that answers with events whose lines end otherwise", () => serve("returns")],
  ["that answers with events behind a byte order mark", () => serve("marked")],
];

describe.each(SERVERS)("a server %s whose messages nobody can follow", (_, toServer) => {
  test.each(["structured", "content", "meta", "error"])("costs the call alone: %s", async (name) => {
    const { url, errors } = await openGateway({ mcpServers: { it: await toServer() }, toolSearch: "off" });
    const { client } = await connect(url, "legacy");
    const failed = await client.callTool({ name: `it__${name}`, arguments: {} });
    expect(failed.isError).toBe(true);
    expect(textOf(await client.callTool({ name: "think", arguments: { thought: "on" } }))).toBe("Noted.");
    expect(textOf(await client.callTool({ name: "it__plain", arguments: {} }))).toBe("fine");
    expect(errors).toEqual([]);
  });

  test("ends nobody by what it says unasked", async () => {
    const { url, errors } = await openGateway({ mcpServers: { it: await toServer() }, toolSearch: "off" });
    const { client } = await connect(url, "legacy", { form: () => ({ action: "decline" }) });
    await client.setLoggingLevel("debug");
    await client.callTool({ name: "it__notes", arguments: {} }).catch(() => null);
    await client.readResource({ uri: "a:b" }).catch(() => null);
    expect(textOf(await client.callTool({ name: "think", arguments: { thought: "on" } }))).toBe("Noted.");
    expect(errors).toEqual([]);
  });
});

describe("a client whose messages nobody can follow", () => {
  test("is refused over HTTP, and others are not", async () => {
    const { url, errors } = await openGateway({});
    const post = (body: string) =>
      fetch(url, { method: "POST", body, headers: { "content-type": "application/json", accept: "application/json" } });
    for (const body of [DEEP, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":${DEEP}}`, `[${DEEP}]`]) {
      const answer = await post(body);
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain("nested too deep");
    }
    const { client } = await connect(url, "modern");
    expect(textOf(await client.callTool({ name: "think", arguments: { thought: "on" } }))).toBe("Noted.");
    expect(errors).toEqual([]);
  });

  test("is refused on streams, and goes on", async () => {
    const { gateway } = await openGateway({});
    const client = createLineClient();
    void gateway.serveStdio(client, mainProfile());
    client.input.write(`{"jsonrpc":"2.0","id":1,"method":"ping","params":${DEEP}}\n`);
    expect(await client.next(({ error }) => error !== undefined)).toMatchObject({
      error: { message: "the line is nested too deep" },
    });
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "lines", version: "1" } };
    expect(await client.request("i", "initialize", params)).toHaveProperty("result");
  });
});
