import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { compiledPeer, npmPeers, toolcribUp } from "./gateway-programs.mjs";
import { COMPILED, freePort, NPM_PEERS } from "./gateway-targets.mjs";
import { TOKEN } from "./gateway-token.mjs";
import { startTree } from "./process-tree.mjs";
import { openEventSession, openRawSession } from "./raw-session.mjs";

const SERVERS = 5;
const CALLS = 10_000;
const WORKERS = 32;
/** Milliseconds until a process that is left alone has put away what it does not need. */
const SETTLING = 5_000;
const BARE = fileURLToPath(new URL("./bare-server.mjs", import.meta.url));
const BARE_NAME = "a bare node:http server";

/**
 * Megabytes that stay in memory: of the process that answers alone, without the servers behind it.
 * @typedef {{ idle: number, used: number }} Memory
 */

/**
 * Resident memory of gateways with five servers, before any call and after 10,000 of them. mcp-proxy from npm and supergateway
 * take one server each, and have one here.
 * @param {string} folder
 * @param {(name: import("./gateway-programs.mjs").NpmPeer) => string} peer
 * @param {string | null} compiled
 */
export async function memoryRows(folder, peer, compiled) {
  const own = await measureMemory(
    toolcribUp(folder, SERVERS),
    (port) => openRawSession(port, TOKEN),
    "everything__echo",
  );
  const bare = await measureBare(folder);
  const single = npmPeers(folder, peer);
  const many = npmPeers(folder, peer, SERVERS);
  /** @type {Map<string, Memory>} */
  const others = new Map();
  for (const name of NPM_PEERS)
    others.set(
      name,
      name === "mcp-hub"
        ? await measureMemory(many[name], openEventSession, "everything__echo")
        : await measureMemory(single[name], (port) => openRawSession(port, TOKEN), "echo"),
    );
  const best = Math.min(...[...others.values()].map(({ used }) => used));
  if (compiled !== null) {
    const launch = compiledPeer(folder, compiled, SERVERS);
    others.set(COMPILED, await measureMemory(launch, (port) => openRawSession(port, TOKEN, "/"), "everything/echo"));
  }
  const all = (/** @type {keyof Memory} */ when) =>
    [...others].map(([name, memory]) => `${name} ${memory[when].toFixed(0)}`).join(", ");
  return [
    {
      name: `\`toolcrib up\` with ${SERVERS} servers: memory of its own process before any call, against ${BARE_NAME}`,
      measured: `${own.idle.toFixed(0)} MB against ${bare.idle.toFixed(0)} (${all("idle")})`,
      ratio: own.idle / bare.idle,
      limit: 2,
    },
    {
      name: `the same after ${CALLS.toLocaleString("en")} calls, against ${BARE_NAME} that took as many`,
      measured: `${own.used.toFixed(0)} MB against ${bare.used.toFixed(0)} (${all("used")})`,
      ratio: own.used / bare.used,
      limit: 2,
    },
    {
      name: `the same against the least of ${NPM_PEERS.join(", ")}`,
      measured: `${own.used.toFixed(0)} MB against ${best.toFixed(0)}`,
      ratio: own.used / best,
      limit: 1,
    },
  ];
}

/**
 * @param {import("./gateway-programs.mjs").Launch} launch
 * @param {(port: number) => Promise<import("./raw-session.mjs").RawSession>} open
 * @param {string} tool
 * @returns {Promise<Memory>}
 */
async function measureMemory(launch, open, tool) {
  const port = await freePort();
  const [command, args, env] = launch(port);
  const tree = startTree(command, args, env === undefined ? {} : { env });
  try {
    const session = await open(port);
    await session.until(`"${tool}"`);
    const memory = await useUp(tree.pid, async () => {
      const text = await session.post("tools/call", { name: tool, arguments: { message: "hello" } });
      if (!text.includes("Echo: hello")) throw new Error(`not an echo: ${text}`);
    });
    session.close();
    return memory;
  } finally {
    await tree.end();
  }
}

/** @param {string} folder */
async function measureBare(folder) {
  const port = await freePort();
  const file = join(folder, "echo.json");
  writeFileSync(
    file,
    JSON.stringify({ jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: "Echo: hello" }] } }),
  );
  const own = spawn(process.execPath, [BARE, String(port), file], { stdio: "ignore" });
  try {
    const session = await openRawSession(port, TOKEN);
    const memory = await useUp(own.pid ?? 0, () => session.post("tools/call", { name: "echo", arguments: {} }));
    session.close();
    return memory;
  } finally {
    own.kill();
  }
}

/**
 * @param {number} pid
 * @param {() => Promise<unknown>} call
 * @returns {Promise<Memory>}
 */
async function useUp(pid, call) {
  await pass(SETTLING);
  const idle = residentOf(pid);
  let left = CALLS;
  const work = async () => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  await pass(SETTLING);
  return { idle, used: residentOf(pid) };
}

/** @param {number} pid */
function residentOf(pid) {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? Number.NaN) / 1024;
}
