// Where each microsecond of a call through the gateway goes, as a table: `node bench/one-call.mjs`. The gateway is that of the
// benchmark, with rules, a hook, its log and metrics, and its client the bare one.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { compiledPeer, UPSTREAM } from "./gateway-programs.mjs";
import { freePort } from "./gateway-targets.mjs";
import { TOKEN } from "./gateway-token.mjs";
import { median } from "./measure.mjs";
import { findCompiledPeer } from "./peers.mjs";
import { cpuOfProcess, startTree } from "./process-tree.mjs";
import { openRawSession } from "./raw-session.mjs";

const OWN = fileURLToPath(new URL("./gateway-process.mjs", import.meta.url));
const RELAY = fileURLToPath(new URL("./bare-relay.mjs", import.meta.url));
const INSIDE = new URL("./one-call-inside.mjs", import.meta.url).href;
const WARM_UP = 6_000;
const CALLS = 12_000;
const WORKERS = 32;
const SLICES = 40;
const A_SLICE = 100;

/** What the code of a folder does for a call; the first that fits counts. */
const PARTS = /** @type {const} */ ([
  ["/dist/surfaces/http/door/", "the door: host, origin, token, rate"],
  ["/dist/surfaces/http/", "metrics and the feed of events"],
  ["/dist/runtime/audit/", "the log: secrets, hashes, rows"],
  ["/dist/runtime/permissions/", "rules"],
  ["/dist/runtime/hooks/", "the hook"],
  ["/dist/runtime/events/", "events of the call"],
  ["/dist/core/events/", "events of the call"],
  ["/dist/runtime/", "stages of the call: find, check, decide, run, clean"],
  ["/dist/core/call/", "stages of the call: find, check, decide, run, clean"],
  ["/dist/sources/", "the server: its request written, its answer read"],
  ["/dist/system/rpc/", "the server: its request written, its answer read"],
  ["/dist/system/process/", "the server: its request written, its answer read"],
  ["/dist/core/shape/parse-json.js", "JSON of the client and of the server, read"],
  ["/dist/surfaces/gateway/wire/", "the client: its request read, its answer written"],
  ["/dist/surfaces/gateway/transports/", "the client: its request read, its answer written"],
  ["/dist/surfaces/gateway/", "its session and the tools that it was shown"],
  ["/dist/", "the rest of Toolcrib"],
  ["node:", "Node: HTTP, sockets, promises"],
]);
const WRITES = ["writev", "writeUtf8String", "writeLatin1String", "writeBuffer"];

/**
 * @typedef {{ functionName: string, url: string }} Frame
 * @typedef {{ id: number, callFrame: Frame, children?: number[] }} CpuNode
 * @typedef {{ callFrame: Frame, selfSize: number, children: SizeNode[] }} SizeNode
 * @typedef {{ pid: number, call(): Promise<void>, end(): Promise<void> }} Opened
 */

const folder = mkdtempSync(join(tmpdir(), "toolcrib-bench-"));
try {
  const costs = await compare();
  const own = costs.get("Toolcrib") ?? Number.NaN;
  const cpu = sharesOfTime(await profile("cpu"));
  const sizes = sharesOfSize(await profile("allocations"));
  const kept = sharesOfSize(await profile("survivors"));
  const names = [...new Set([...cpu.keys(), ...sizes.keys()])].sort((one, other) => at(cpu, other) - at(cpu, one));
  const whole = sum(cpu);
  console.log("| of a call | CPU | of it | allocated | outlives a small collection |\n|---|---|---|---|---|");
  for (const name of names) {
    const share = at(cpu, name) / whole;
    console.log(
      `| ${name} | ${(share * own).toFixed(0)} µs | ${(share * 100).toFixed(0)} % | ${bytes(at(sizes, name))} | ${bytes(at(kept, name))} |`,
    );
  }
  console.log(`| all | ${own.toFixed(0)} µs | | ${bytes(sum(sizes))} | ${bytes(sum(kept))} |\n`);
  for (const [name, cost] of costs) console.log(`${name}: ${cost.toFixed(0)} µs a call`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** CPU microseconds a call, the server left out: the gateways are all there and take turns in small slices. */
async function compare() {
  const compiled = findCompiledPeer();
  /** @type {[string, () => Promise<Opened>][]} */
  const all = [
    ["Toolcrib", () => open((port) => [process.execPath, [OWN, String(port)]], "everything__echo")],
    ["a bare relay in Node", () => open((port) => [process.execPath, [RELAY, String(port), UPSTREAM]], "echo")],
  ];
  if (compiled !== null)
    all.push(["mcp-proxy in Rust", () => open(compiledPeer(folder, compiled), "everything/echo", "/")]);
  /** @type {Map<string, { opened: Opened, costs: number[] }>} */
  const there = new Map();
  try {
    for (const [name, start] of all) {
      const opened = await start();
      there.set(name, { opened, costs: [] });
      await abreast(opened, WARM_UP);
    }
    for (let slice = 0; slice < SLICES; slice++)
      for (const { opened, costs } of there.values()) {
        const before = cpuOfProcess(opened.pid);
        await abreast(opened, A_SLICE);
        costs.push(((cpuOfProcess(opened.pid) - before) * 1_000) / A_SLICE);
      }
    return new Map([...there].map(([name, { costs }]) => [name, median(costs)]));
  } finally {
    for (const { opened } of there.values()) await opened.end();
  }
}

/**
 * @param {import("./gateway-programs.mjs").Launch} launch
 * @param {string} tool
 * @param {string} [path]
 * @returns {Promise<Opened>}
 */
async function open(launch, tool, path = "/mcp") {
  const port = await freePort();
  const [command, args, env = {}] = launch(port);
  const tree = startTree(command, args, { env });
  const session = await openRawSession(port, TOKEN, path);
  await session.until(`"${tool}"`);
  return {
    pid: tree.pid,
    async call() {
      const text = await session.post("tools/call", { name: tool, arguments: { message: "hello" } });
      if (!text.includes("Echo: hello")) throw new Error(`not an echo: ${text}`);
    },
    async end() {
      session.close();
      await tree.end();
    },
  };
}

/**
 * @param {Opened} opened
 * @param {number} calls
 */
async function abreast({ call }, calls) {
  let left = calls;
  const work = async () => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
}

/** @param {"cpu" | "allocations" | "survivors"} what */
async function profile(what) {
  const file = join(folder, `${what}.json`);
  const env = { TOOLCRIB_PROFILE: what, TOOLCRIB_PROFILE_FILE: file };
  const opened = await open(
    (port) => [process.execPath, ["--import", INSIDE, OWN, String(port)], env],
    "everything__echo",
  );
  try {
    await abreast(opened, WARM_UP);
    process.kill(opened.pid, "SIGUSR2");
    await pass(500);
    await abreast(opened, CALLS);
    process.kill(opened.pid, "SIGUSR2");
    for (let left = 200; ; left--) {
      await pass(100);
      const text = read(file);
      if (text !== null) return JSON.parse(text);
      if (left === 0) throw new Error(`the profile of ${what} was not written`);
    }
  } finally {
    await opened.end();
  }
}

/** @param {{ nodes: CpuNode[], samples: number[], timeDeltas: number[] }} profile */
function sharesOfTime({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  /** @type {Map<number, string>} */
  const partOf = new Map();
  /** @param {number} id @param {string} above */
  const walk = (id, above) => {
    const node = byId.get(id);
    if (node === undefined) return;
    const part = toPart(node.callFrame, above);
    partOf.set(id, part);
    for (const child of node.children ?? []) walk(child, part);
  };
  walk(nodes[0]?.id ?? 0, "");
  /** @type {Map<string, number>} */
  const shares = new Map();
  for (const [index, id] of samples.entries()) add(shares, partOf.get(id) ?? "", timeDeltas[index] ?? 0);
  shares.delete("");
  return shares;
}

/** Bytes a call. @param {{ head: SizeNode }} profile */
function sharesOfSize({ head }) {
  /** @type {Map<string, number>} */
  const shares = new Map();
  /** @param {SizeNode} node @param {string} above */
  const walk = ({ callFrame, selfSize, children }, above) => {
    const part = toPart(callFrame, above);
    add(shares, part === "" ? "Node: HTTP, sockets, promises" : part, selfSize / CALLS);
    for (const child of children) walk(child, part);
  };
  walk(head, "");
  return shares;
}

/**
 * What Node does for a part of Toolcrib belongs to that part, but for what it writes.
 * @param {Frame} frame
 * @param {string} above
 */
function toPart({ functionName, url }, above) {
  if (functionName === "(idle)" || url.endsWith("one-call-inside.mjs")) return "";
  if (functionName === "(garbage collector)") return "collecting garbage";
  if (functionName === "(program)") return "waking up, reading, and else outside of JavaScript";
  if (WRITES.includes(functionName)) return "writing to sockets and pipes";
  const [, own] = PARTS.find(([place]) => url.includes(place)) ?? [];
  return own === undefined || (url.startsWith("node:") && above !== "") ? above : own;
}

/** @param {Map<string, number>} map @param {string} name @param {number} more */
function add(map, name, more) {
  map.set(name, at(map, name) + more);
}

/** @param {Map<string, number>} map @param {string} name */
function at(map, name) {
  return map.get(name) ?? 0;
}

/** @param {Map<string, number>} map */
function sum(map) {
  return [...map.values()].reduce((all, each) => all + each, 0);
}

/** @param {number} count */
function bytes(count) {
  return `${(count / 1_000).toFixed(1)} KB`;
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
