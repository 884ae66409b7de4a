import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { TOKEN } from "./gateway-token.mjs";

/**
 * How a gateway is started that listens on this port: its program, arguments and variables.
 * @typedef {(port: number) => [string, string[], Record<string, string>?]} Launch
 */

/** @typedef {"mcp-proxy" | "supergateway" | "mcp-hub"} NpmPeer */

export const UPSTREAM = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"));
const COMMAND = fileURLToPath(new URL("../bin/toolcrib.js", import.meta.url));
const node = process.execPath;

/**
 * Whether a process is the server behind the gateways.
 * @param {readonly string[]} argv
 */
export function isUpstream(argv) {
  return argv[1] === UPSTREAM && argv[2] === "stdio";
}

/**
 * Names of so many copies of the server.
 * @param {number} servers
 */
function names(servers) {
  return Array.from({ length: servers }, (_, at) => (at === 0 ? "everything" : `everything${at + 1}`));
}

/**
 * `toolcrib up` with rules of all three kinds, its log on the disk, its store and its page.
 * @param {string} folder
 * @param {number} servers
 * @returns {Launch}
 */
export function toolcribUp(folder, servers) {
  return (port) => {
    const place = mkdtempSync(join(folder, "up-"));
    const server = { type: "stdio", command: node, args: [UPSTREAM, "stdio"] };
    const config = {
      mcpServers: Object.fromEntries(names(servers).map((name) => [name, server])),
      permissions: {
        allow: names(servers).map((name) => `mcp__${name}`),
        ask: ["Write(.env)"],
        deny: ["Bash(rm:*)", "everything/sum"],
      },
      toolSearch: "off",
      gateway: { token: `\${BENCH_TOKEN}` },
    };
    const file = join(place, "toolcrib.json");
    writeFileSync(file, JSON.stringify(config));
    return [
      node,
      [COMMAND, "up", "--config", file, "--port", String(port)],
      { HOME: place, XDG_STATE_HOME: join(place, "state"), BENCH_TOKEN: TOKEN },
    ];
  };
}

/**
 * The peers from npm. Only mcp-hub takes more than one server.
 * @param {string} folder for files that they need
 * @param {(name: NpmPeer) => string} peer
 * @param {number} servers
 * @returns {Record<NpmPeer, Launch>}
 */
export function npmPeers(folder, peer, servers = 1) {
  return {
    "mcp-proxy": (port) => [
      peer("mcp-proxy"),
      ["--port", String(port), "--host", "127.0.0.1", "--server", "stream", "--", node, UPSTREAM, "stdio"],
    ],
    supergateway: (port) => [
      peer("supergateway"),
      [
        ...["--stdio", `${node} ${UPSTREAM} stdio`, "--port", String(port)],
        ...["--outputTransport", "streamableHttp", "--stateful", "--logLevel", "none"],
      ],
    ],
    "mcp-hub": (port) => {
      const config = join(folder, `mcp-hub-${port}.json`);
      const server = { command: node, args: [UPSTREAM, "stdio"] };
      writeFileSync(
        config,
        JSON.stringify({ mcpServers: Object.fromEntries(names(servers).map((name) => [name, server])) }),
      );
      return [peer("mcp-hub"), ["--port", String(port), "--config", config]];
    },
  };
}

/**
 * mcp-proxy in Rust, with what it does when nothing else is configured.
 * @param {string} folder
 * @param {string} program
 * @param {number} servers
 * @returns {Launch}
 */
export function compiledPeer(folder, program, servers = 1) {
  return (port) => {
    const config = join(folder, `mcp-proxy-${port}.toml`);
    const backend = (/** @type {string} */ name) => [
      "[[backends]]",
      `name = ${JSON.stringify(name)}`,
      `transport = "stdio"`,
      `command = ${JSON.stringify(node)}`,
      `args = ${JSON.stringify([UPSTREAM, "stdio"])}`,
    ];
    const lines = [
      ...["[proxy]", `name = "bench"`, "[proxy.listen]", `host = "127.0.0.1"`, `port = ${port}`],
      ...names(servers).flatMap(backend),
    ];
    writeFileSync(config, lines.join("\n"));
    return [program, ["--config", config]];
  };
}
