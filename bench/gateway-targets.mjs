import { setMaxListeners } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { startTree } from "./process-tree.mjs";

export const TOKEN = "bench-token-of-no-worth";

// The client's package has all its requests listen to one signal; to warn about each takes it longer than the request.
setMaxListeners(0);

const UPSTREAM = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"));
const OWN = fileURLToPath(new URL("./gateway-process.mjs", import.meta.url));

/**
 * Whether a process is the server behind the gateways.
 * @param {readonly string[]} argv
 */
export function isUpstream(argv) {
  return argv[1] === UPSTREAM && argv[2] === "stdio";
}

/**
 * Something that offers the upstream's tools, running, with a client connected to it.
 * @typedef {{ name: string, client: Client, echo: string, pid: number, close(): Promise<unknown> }} Target
 */

/**
 * The ways to reach one server, in the order of the table.
 * @param {string} folder for files that they need
 * @param {(name: "mcp-proxy" | "supergateway" | "mcp-hub") => string} peer
 * @returns {{ name: string, open(): Promise<Target> }[]}
 */
export function targets(folder, peer) {
  const node = process.execPath;
  return [
    stdio("direct stdio", node, [UPSTREAM, "stdio"], "echo"),
    stdio("toolcrib stdio", node, [OWN, "--stdio"], "everything__echo"),
    http("toolcrib HTTP", "everything__echo", (port) => [node, [OWN, String(port)]]),
    http("direct HTTP", "echo", (port) => [node, [UPSTREAM, "streamableHttp"], { PORT: String(port) }]),
    http("mcp-proxy", "echo", (port) => [
      peer("mcp-proxy"),
      ["--port", String(port), "--host", "127.0.0.1", "--server", "stream", "--", node, UPSTREAM, "stdio"],
    ]),
    http("supergateway", "echo", (port) => [
      peer("supergateway"),
      [
        ...["--stdio", `${node} ${UPSTREAM} stdio`, "--port", String(port)],
        ...["--outputTransport", "streamableHttp", "--stateful", "--logLevel", "none"],
      ],
    ]),
    http("mcp-hub", "everything__echo", (port) => {
      const config = join(folder, `mcp-hub-${port}.json`);
      writeFileSync(
        config,
        JSON.stringify({ mcpServers: { everything: { command: node, args: [UPSTREAM, "stdio"] } } }),
      );
      return [peer("mcp-hub"), ["--port", String(port), "--config", config]];
    }),
  ];
}

/**
 * @param {string} name
 * @param {string} command
 * @param {string[]} args
 * @param {string} echo
 */
function stdio(name, command, args, echo) {
  return {
    name,
    async open() {
      const transport = new StdioClientTransport({ command, args, stderr: "ignore" });
      const client = createClient();
      await client.connect(transport);
      await waitForTool(client, echo);
      return { name, client, echo, pid: transport.pid ?? 0, close: () => client.close() };
    },
  };
}

/**
 * @param {string} name
 * @param {string} echo
 * @param {(port: number) => [string, string[], Record<string, string>?]} launch
 */
function http(name, echo, launch) {
  return {
    name,
    async open() {
      const port = await freePort();
      const [command, args, env] = launch(port);
      const tree = startTree(command, args, env === undefined ? {} : { env });
      const client = await retry(() => connect(name, port));
      await waitForTool(client, echo);
      const close = async () => {
        await client.close();
        await tree.end();
      };
      return { name, client, echo, pid: tree.pid, close };
    },
  };
}

/**
 * @param {string} name
 * @param {number} port
 */
async function connect(name, port) {
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
  const transport =
    name === "mcp-hub" ? new SSEClientTransport(url) : new StreamableHTTPClientTransport(url, { requestInit });
  const client = createClient();
  await client.connect(transport);
  return client;
}

function createClient() {
  return new Client({ name: "bench", version: "1" }, { versionNegotiation: { mode: "legacy" } });
}

/**
 * @param {Client} client
 * @param {string} name
 */
async function waitForTool(client, name) {
  await retry(async () => {
    const { tools } = await client.listTools();
    if (!tools.some((tool) => tool.name === name)) throw new Error(`no ${name}`);
  });
}

/**
 * @template T
 * @param {() => Promise<T>} attempt
 */
async function retry(attempt) {
  for (let left = 100; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

/** @returns {Promise<number>} */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}
