// Many small MCP servers over HTTP in one process, at `/0/mcp`, `/1/mcp` and so on: each a session with an open stream, as
// most servers are. Arguments: how many, and how many tools each has. Tells its parent where it listens; on a number, the
// tools of that server change, which it says on its stream.
import { createServer } from "node:http";
import { makeDefinitions } from "../workload.mjs";

const [servers = 0, each = 0] = process.argv.slice(2).map(Number);
const VERSION = "2025-11-25";
const tools = makeDefinitions(servers * each, servers).map(({ name, description, inputSchema }) => ({
  ...{ name, description, inputSchema },
}));
/** @type {Map<number, import("node:http").ServerResponse>} */
const streams = new Map();
/** How often the list of each has changed. @type {Map<number, number>} */
const changes = new Map();

const http = createServer(async (request, response) => {
  const at = Number(request.url?.split("/")[1]);
  if (request.method === "GET") {
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    streams.set(at, response);
    return;
  }
  let text = "";
  for await (const part of request.setEncoding("utf8")) text += part;
  const { id, method, params } = text === "" ? {} : JSON.parse(text);
  if (id === undefined) {
    response.writeHead(request.method === "POST" ? 202 : 200).end();
    return;
  }
  const body = JSON.stringify({ jsonrpc: "2.0", id, ...answer(at, method, params) });
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  response.writeHead(200, method === "initialize" ? { ...headers, "mcp-session-id": `s${at}` } : headers).end(body);
});

/** @param {number} at @param {string} method @param {{ arguments?: object }} params */
function answer(at, method, params) {
  switch (method) {
    case "initialize": {
      const capabilities = { tools: { listChanged: true } };
      return { result: { protocolVersion: VERSION, capabilities, serverInfo: { name: `stub-${at}`, version: "1" } } };
    }
    case "tools/list":
      return { result: { tools: listOf(at) } };
    case "tools/call":
      return { result: { content: [{ type: "text", text: JSON.stringify(params.arguments) }] } };
    default:
      return { error: { code: -32601, message: "no such method" } };
  }
}

/** @param {number} at */
function listOf(at) {
  const own = tools.filter((_, place) => place % servers === at);
  const changed = changes.get(at) ?? 0;
  return changed === 0 ? own : own.map((tool) => ({ ...tool, description: `${tool.description} Change ${changed}.` }));
}

process.on("message", (message) => {
  const at = Number(message);
  changes.set(at, (changes.get(at) ?? 0) + 1);
  const said = JSON.stringify({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
  streams.get(at)?.write(`event: message\ndata: ${said}\n\n`);
});
process.on("disconnect", () => process.exit());
// A connection that is closed just when a call is sent fails that call.
http.keepAliveTimeout = 0;
http.listen(0, "127.0.0.1", () => {
  const address = http.address();
  process.send?.(typeof address === "object" && address !== null ? address.port : 0);
});
