import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { buildCatalog, buildToolset, DEFAULT_SCENE } from "../dist/doors/core.js";
import { createMcpSource } from "../dist/sources/mcp/mcp-source.js";
import { createOpenApiSource } from "../dist/sources/openapi/openapi-source.js";
import { openStoredList } from "../dist/sources/parts/stored-list.js";
import { median } from "./measure.mjs";

const MISBEHAVING = fileURLToPath(new URL("../test/fixtures/misbehaving-server.cjs", import.meta.url));
const SERVERS = 50;
const TOOLS = 200;

/** @typedef {import("../dist/sources/mcp/mcp-source.js").McpSource} McpSource */

/** @returns {Promise<import("./visibility.bench.mjs").Row[]>} */
export async function run() {
  const killed = await medianOf(5, errorAfterKill);
  const flooded = await medianOf(3, delayUnderFlood);
  const assembled = await assemblyTime();
  const api = await apiStarts();
  const ms = (/** @type {number} */ value) => `${value.toFixed(1)} ms`;
  return [
    {
      name: "a server killed mid-call: until the caller has its error, in units of 250 ms",
      measured: ms(killed),
      ratio: killed / 250,
      limit: 1,
    },
    {
      name: "100,000 notifications: event-loop delay p99 above idle, in units of 50 ms",
      measured: ms(flooded),
      ratio: flooded / 50,
      limit: 1,
    },
    {
      name: "10,000 tools of 50 servers: from the last list to the toolset, in units of 2 s",
      measured: ms(assembled),
      ratio: assembled / 2_000,
      limit: 1,
    },
    {
      name: "1,000 operations of an OpenAPI document in YAML: CPU until they are listed at a later start, in units of the first",
      measured: `${ms(api.later)} after ${ms(api.first)}`,
      ratio: api.later / api.first,
      limit: 0.25,
    },
  ];
}

/** CPU of listing a large document: parsed, and as it was kept. */
async function apiStarts() {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-bench-"));
  const spec = join(folder, "api.yaml");
  const operation = (/** @type {number} */ at) =>
    `  /things${at}/{id}:\n    get:\n      operationId: getThing${at}\n      summary: Shows thing ${at}\n      parameters:\n        - { name: id, in: path, required: true, schema: { type: string } }\n      responses: { "200": { description: ok } }\n`;
  const paths = Array.from({ length: 1_000 }, (_, at) => operation(at)).join("");
  writeFileSync(spec, `openapi: 3.0.3\ninfo: { title: Many, version: "1" }\npaths:\n${paths}`);
  const api = { spec, baseUrl: "https://x.example/", headers: {}, auth: {}, include: null, exclude: [], refs: [] };
  const listed = async (/** @type {string} */ lists) => {
    const start = process.cpuUsage();
    const keep = (/** @type {string} */ key) => openStoredList(join(folder, lists, key));
    const source = createOpenApiSource({ name: "many", api, workspace: folder, keep });
    await source.list(new AbortController().signal);
    const { user, system } = process.cpuUsage(start);
    await source.close();
    return (user + system) / 1000;
  };
  try {
    let round = 0;
    const first = await medianOf(5, () => listed(`lists${round++}`));
    return { first, later: await medianOf(5, () => listed("lists0")) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} name @param {{ args?: string[], url?: string }} server */
function open(name, { args = [], url }) {
  const server = url === undefined ? { command: process.execPath, args: [MISBEHAVING, ...args] } : { url };
  return createMcpSource({ name, server, cwd: process.cwd(), env: process.env, limits: { startTimeout: 60_000 } });
}

/** @param {McpSource} source @param {string} name @param {Record<string, unknown>} [args] */
async function call(source, name, args = {}) {
  const signal = new AbortController().signal;
  const tool = (await source.list(signal)).find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`${name} is not listed`);
  return source.run(tool, args, { sessionId: "bench", toolCallId: "1", signal });
}

async function errorAfterKill() {
  const source = open("dying", {});
  try {
    const { textResultForLlm } = await call(source, "pids");
    const hung = call(source, "hang").then(
      () => Number.POSITIVE_INFINITY,
      () => performance.now(),
    );
    await call(source, "echo", { text: "the call before is under way" });
    const start = performance.now();
    process.kill(JSON.parse(textResultForLlm)[0], "SIGKILL");
    return (await hung) - start;
  } finally {
    await source.close();
  }
}

async function delayUnderFlood() {
  const source = open("flooding", {});
  const other = open("quiet", {});
  try {
    await call(source, "echo", { text: "warm" });
    const pause = () => new Promise((resolve) => setTimeout(resolve, 300));
    const idle = await loopDelay(() => call(other, "echo", { text: "idle" }).then(pause));
    const flooded = await loopDelay(async () => {
      await call(source, "flood", { count: 100_000 }).catch(() => null);
      await pause();
    });
    return Math.max(0, flooded - idle);
  } finally {
    await Promise.all([source.close(), other.close()]);
  }
}

/** @param {() => Promise<unknown>} work */
async function loopDelay(work) {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  await work();
  delay.disable();
  return delay.percentile(99) / 1e6;
}

async function assemblyTime() {
  const http = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      if (request.method !== "POST") return response.writeHead(405).end();
      if (body.includes('"notifications/')) return response.writeHead(202).end();
      return response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify(answerFor(request.url ?? "", body)));
    });
  });
  await new Promise((resolve) => http.listen(0, "127.0.0.1", () => resolve(null)));
  const address = http.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const sources = Array.from({ length: SERVERS }, (_, at) =>
    open(`s${at}`, { url: `http://127.0.0.1:${port}/s${at}` }),
  );
  try {
    const lists = await Promise.all(sources.map((source) => source.list(new AbortController().signal)));
    const start = performance.now();
    const { placements } = buildToolset(buildCatalog(lists.flat()), DEFAULT_SCENE);
    if (placements.length < SERVERS * TOOLS) throw new Error("tools were lost");
    return performance.now() - start;
  } finally {
    await Promise.all(sources.map((source) => source.close()));
    http.closeAllConnections();
    http.close();
  }
}

/** @param {string} path @param {string} body */
function answerFor(path, body) {
  const { id, method } = JSON.parse(body);
  if (method === "server/discover") return { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } };
  if (method === "initialize") {
    const serverInfo = { name: path, version: "1" };
    return { jsonrpc: "2.0", id, result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo } };
  }
  const tools = Array.from({ length: TOOLS }, (_, at) => ({
    name: `tool_${at}`,
    description: `Does thing ${at} of ${path}.`,
    inputSchema: { type: "object", properties: { what: { type: "string" } }, required: ["what"] },
  }));
  return { jsonrpc: "2.0", id, result: { tools } };
}

/** @param {number} rounds @param {() => Promise<number>} measure */
async function medianOf(rounds, measure) {
  const values = [];
  for (let round = 0; round < rounds; round++) values.push(await measure());
  return median(values);
}
