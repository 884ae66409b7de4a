import { setMaxListeners } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { startTree } from "./process-tree.mjs";
import { openEventSession, openRawSession, retry } from "./raw-session.mjs";

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
 * Something that offers the upstream's tools, running, with a client that has it echo.
 * @typedef {{ pid: number, echo(message: string): Promise<string>, close(): Promise<unknown> }} Target
 */

/** The client's own work costs more than what is measured, and sets the pace of the faster side. */
export const OFFICIAL = ", official client";

/**
 * The ways to reach one server, in the order of the table.
 * @param {string} folder for files that they need
 * @param {(name: "mcp-proxy" | "supergateway" | "mcp-hub") => string} peer
 * @returns {{ name: string, open(): Promise<Target> }[]}
 */
export function targets(folder, peer) {
  const node = process.execPath;
  /** @type {Launch} */
  const own = (port) => [node, [OWN, String(port)]];
  /** @type {Launch} */
  const hub = (port) => {
    const config = join(folder, `mcp-hub-${port}.json`);
    const server = { command: node, args: [UPSTREAM, "stdio"] };
    writeFileSync(config, JSON.stringify({ mcpServers: { everything: server } }));
    return [peer("mcp-hub"), ["--port", String(port), "--config", config]];
  };
  return [
    stdio("direct stdio", node, [UPSTREAM, "stdio"], "echo"),
    stdio("toolcrib stdio", node, [OWN, "--stdio"], "everything__echo"),
    http("toolcrib HTTP", own, raw("everything__echo")),
    http("direct HTTP", (port) => [node, [UPSTREAM, "streamableHttp"], { PORT: String(port) }], raw("echo")),
    http(
      "mcp-proxy",
      (port) => [
        peer("mcp-proxy"),
        ["--port", String(port), "--host", "127.0.0.1", "--server", "stream", "--", node, UPSTREAM, "stdio"],
      ],
      raw("echo"),
    ),
    http(
      "supergateway",
      (port) => [
        peer("supergateway"),
        [
          ...["--stdio", `${node} ${UPSTREAM} stdio`, "--port", String(port)],
          ...["--outputTransport", "streamableHttp", "--stateful", "--logLevel", "none"],
        ],
      ],
      raw("echo"),
    ),
    http("mcp-hub", hub, raw("everything__echo", openEventSession)),
    http(
      `toolcrib HTTP${OFFICIAL}`,
      own,
      official("everything__echo", (url) => new StreamableHTTPClientTransport(url, { requestInit: AUTHORIZED })),
    ),
    http(
      `mcp-hub${OFFICIAL}`,
      hub,
      official("everything__echo", (url) => new SSEClientTransport(url)),
    ),
  ];
}

/**
 * Our own gateway over HTTP, with these variables in its environment.
 * @param {string} name
 * @param {Record<string, string>} env
 */
export function ownTarget(name, env) {
  return http(name, (port) => [process.execPath, [OWN, String(port)], env], raw("everything__echo"));
}

const AUTHORIZED = { headers: { authorization: `Bearer ${TOKEN}` } };

/**
 * @typedef {(port: number) => [string, string[], Record<string, string>?]} Launch
 * @typedef {(port: number) => Promise<Pick<Target, "echo" | "close">>} Connect
 */

/**
 * @param {string} name
 * @param {string} command
 * @param {string[]} args
 * @param {string} tool
 */
function stdio(name, command, args, tool) {
  return {
    name,
    async open() {
      const transport = new StdioClientTransport({ command, args, stderr: "ignore" });
      const client = await connectOfficial(transport, tool);
      return { ...client, pid: transport.pid ?? 0 };
    },
  };
}

/**
 * @param {string} name
 * @param {Launch} launch
 * @param {Connect} connect
 */
function http(name, launch, connect) {
  return {
    name,
    async open() {
      const port = await freePort();
      const [command, args, env] = launch(port);
      const tree = startTree(command, args, env === undefined ? {} : { env });
      const client = await connect(port);
      const close = async () => {
        await client.close();
        await tree.end();
      };
      return { echo: client.echo, pid: tree.pid, close };
    },
  };
}

/**
 * A client that does next to nothing, so that the side that answers is what is measured.
 * @param {string} tool
 * @param {typeof openRawSession} open
 * @returns {Connect}
 */
function raw(tool, open = openRawSession) {
  return async (port) => {
    const session = await open(port, TOKEN);
    await session.until(`"${tool}"`);
    return {
      echo: (message) => session.post("tools/call", { name: tool, arguments: { message } }),
      close: async () => session.close(),
    };
  };
}

/**
 * @param {string} tool
 * @param {(url: URL) => Transport} toTransport
 * @returns {Connect}
 */
function official(tool, toTransport) {
  return (port) => retry(() => connectOfficial(toTransport(new URL(`http://127.0.0.1:${port}/mcp`)), tool));
}

/** @typedef {Parameters<Client["connect"]>[0]} Transport */

/**
 * @param {Transport} transport
 * @param {string} tool
 * @returns {ReturnType<Connect>}
 */
async function connectOfficial(transport, tool) {
  const client = new Client({ name: "bench", version: "1" }, { versionNegotiation: { mode: "legacy" } });
  await client.connect(transport);
  await retry(async () => {
    const { tools } = await client.listTools();
    if (!tools.some(({ name }) => name === tool)) throw new Error(`no ${tool}`);
  });
  return {
    echo: async (message) => JSON.stringify((await client.callTool({ name: tool, arguments: { message } })).content),
    close: () => client.close(),
  };
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
