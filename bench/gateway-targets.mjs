import { setMaxListeners } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { compiledPeer, npmPeers, UPSTREAM } from "./gateway-programs.mjs";
import { TOKEN } from "./gateway-token.mjs";
import { startTree } from "./process-tree.mjs";
import { openEventSession, openRawSession, retry } from "./raw-session.mjs";

// The client's package has all its requests listen to one signal; to warn about each takes it longer than the request.
setMaxListeners(0);

const OWN = fileURLToPath(new URL("./gateway-process.mjs", import.meta.url));

/**
 * Something that offers the upstream's tools, running, with a client that has it echo.
 * @typedef {{ pid: number, echo(message: string): Promise<string>, close(): Promise<unknown> }} Target
 */

/** The client's own work costs more than what is measured, and sets the pace of the faster side. */
export const OFFICIAL = ", official client";

/** Gateways of others in front of the same server, as they are called in the table. */
export const NPM_PEERS = /** @type {const} */ (["mcp-proxy", "supergateway", "mcp-hub"]);
export const COMPILED = "mcp-proxy in Rust";

/**
 * The ways to reach one server, in the order of the table.
 * @param {string} folder for files that they need
 * @param {(name: NpmPeer) => string} peer
 * @param {string | null} compiled the program; null if there is none
 * @returns {{ name: string, open(): Promise<Target> }[]}
 */
export function targets(folder, peer, compiled) {
  const node = process.execPath;
  /** @type {Launch} */
  const own = (port) => [node, [OWN, String(port)]];
  const npm = npmPeers(folder, peer);
  const rust = compiled === null ? null : compiledPeer(folder, compiled);
  return [
    stdio("direct stdio", node, [UPSTREAM, "stdio"], "echo"),
    stdio("toolcrib stdio", node, [OWN, "--stdio"], "everything__echo"),
    http("toolcrib HTTP", own, raw("everything__echo")),
    ...(rust === null ? [] : [http(COMPILED, rust, raw("everything/echo", toRoot))]),
    http("direct HTTP", (port) => [node, [UPSTREAM, "streamableHttp"], { PORT: String(port) }], raw("echo")),
    http("mcp-proxy", npm["mcp-proxy"], raw("echo")),
    http("supergateway", npm.supergateway, raw("echo")),
    http("mcp-hub", npm["mcp-hub"], raw("everything__echo", openEventSession)),
    http(`toolcrib HTTP${OFFICIAL}`, own, official("everything__echo", toAuthorized)),
    ...(rust === null ? [] : [http(`${COMPILED}${OFFICIAL}`, rust, official("everything/echo", toStreamable, "/"))]),
    http(`mcp-proxy${OFFICIAL}`, npm["mcp-proxy"], official("echo", toStreamable)),
    http(`supergateway${OFFICIAL}`, npm.supergateway, official("echo", toStreamable)),
    http(
      `mcp-hub${OFFICIAL}`,
      npm["mcp-hub"],
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

const toAuthorized = (/** @type {URL} */ url) => new StreamableHTTPClientTransport(url, { requestInit: AUTHORIZED });
const toStreamable = (/** @type {URL} */ url) => new StreamableHTTPClientTransport(url);

/** @type {typeof openRawSession} */
const toRoot = (port, token) => openRawSession(port, token, "/");

/**
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
 * @param {(port: number, token: string) => Promise<import("./raw-session.mjs").RawSession>} open
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
 * @param {string} [path]
 * @returns {Connect}
 */
function official(tool, toTransport, path = "/mcp") {
  return (port) => retry(() => connectOfficial(toTransport(new URL(`http://127.0.0.1:${port}${path}`)), tool));
}

/** @typedef {Parameters<Client["connect"]>[0]} Transport */
/** @typedef {import("./gateway-programs.mjs").Launch} Launch */
/** @typedef {import("./gateway-programs.mjs").NpmPeer} NpmPeer */

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
