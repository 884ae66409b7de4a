import { expect, test } from "vitest";
import { buildCatalog } from "../../src/core/catalog/catalog.ts";
import { listen } from "../support/loopback-mcp.ts";
import { openSource } from "../support/mcp-sources.ts";

const SERVERS = 50;
const TOOLS = 200;
const PAGE = 50;

/** Many servers in one process: the path is the server's name, and its list comes in pages. */
function answerFor(path: string, body: string): object {
  const { id, method, params } = JSON.parse(body);
  if (method === "server/discover") return { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } };
  if (method === "initialize") {
    const serverInfo = { name: path, version: "1" };
    return { jsonrpc: "2.0", id, result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo } };
  }
  const from = Number(params.cursor ?? 0);
  const tools = Array.from({ length: PAGE }, (_, at) => ({
    name: `tool_${from + at}`,
    description: `Does thing ${from + at} of ${path}, which is described at some length so that it weighs something.`,
    inputSchema: {
      type: "object",
      properties: { what: { type: "string" }, how: { type: "number" } },
      required: ["what"],
    },
  }));
  const next = from + PAGE < TOOLS ? { nextCursor: String(from + PAGE) } : {};
  return { jsonrpc: "2.0", id, result: { tools, ...next } };
}

// How long that takes is measured by the benchmark of sources.
test("10,000 tools of 50 servers come together, page by page and without loss", { timeout: 180_000 }, async () => {
  const { origin } = await listen((request, response, body) => {
    if (request.method !== "POST") return response.writeHead(405).end();
    if (body.includes('"notifications/')) return response.writeHead(202).end();
    return response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify(answerFor(request.url ?? "", body)));
  });
  const sources = Array.from({ length: SERVERS }, (_, at) =>
    openSource({ url: `${origin}/s${at}` }, { name: `s${at}`, limits: { startTimeout: 120_000 } }),
  );
  const lists = await Promise.all(sources.map((source) => source.list(new AbortController().signal)));
  const catalog = buildCatalog(lists.flat());
  expect(catalog.entries).toHaveLength(SERVERS * TOOLS);
});
