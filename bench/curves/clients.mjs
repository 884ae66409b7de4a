import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ownFolder, startBeside } from "../how-it-grows/tidy.mjs";
import { cpuOfProcess } from "../process-tree.mjs";

const inBench = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));
const STUBS = inBench("../how-it-grows/stub-servers.mjs");
const GATEWAY = inBench("../clients-gateway.mjs");
const CROWD = inBench("../how-it-grows/crowd.mjs");
const TOOLS = 10;
const WARM = 60;
const WARM_CALLS = 1_500;
const CALLS = 300;
const CHANGES = 3;
/** Streams are kept alive every 25 seconds, so that a shorter time would see that once or not at all. */
const IDLE_MS = 25_000;
/** Memory goes back to the machine once nobody has gone to rest for two to four seconds, which is no part of a call. */
const SETTLE_MS = 6_000;

/** @type {import("../how-it-grows/curve.mjs").Curve} */
export const curve = {
  name: "clients",
  title: "Clients",
  unit: "clients",
  what: "Clients of one gateway over HTTP, each with a session and an open stream; a server with 10 tools stands behind it, and a log and a store on the disk. At most 256 clients are held whole, others rest.",
  sizes: [1, 300, 3_000, 10_000],
  quick: 300,
  rounds: 1,
  lines: {
    connect: { what: "until all have a session and a stream, have listed the tools and made one call", limit: 1.05 },
    call: { what: "one more call of a client that is awake", limit: 0.3 },
    wake: { what: "one more call of a client that was silent for the longest time", limit: 0.3 },
    tell: { what: "one server changes its list, until all clients are told", limit: 1.05 },
    idle: { what: "a second in which nothing happens", limit: 1.05 },
  },
  memory: { what: "what the gateway's process has in memory", limit: 1.05 },
  counts: { log: { what: "in the log for a call", unit: "bytes" } },
  async measure(size) {
    const stubs = startBeside(STUBS, ["1", String(TOOLS)]);
    const [port] = await once(stubs.child, "message");
    const limits = { sessions: 20_000, sessionsEach: 20_000, sessionsOfPerson: 20_000 };
    const servers = { stub: { url: `http://127.0.0.1:${port}/0/mcp` } };
    const folder = ownFolder();
    const gateway = startBeside(GATEWAY, [JSON.stringify(limits), JSON.stringify(servers)], { TMPDIR: folder });
    const [{ port: door }] = await once(gateway.child, "message");
    const measure = measuring({
      stubs: stubs.child,
      gateway: gateway.child,
      port: door,
      logBytes: () => logBytes(folder),
    });
    // Compiled before anything counts, whatever the size.
    await measure(WARM, WARM_CALLS, 1_000);
    return await measure(size, CALLS, IDLE_MS);
  },
};

/** @param {string} folder in which the gateway has made its own */
function logBytes(folder) {
  const own = readdirSync(folder)[0] ?? "";
  return statSync(join(folder, own, "audit.jsonl")).size;
}

/**
 * @typedef {object} Place
 * @property {import("node:child_process").ChildProcess} stubs
 * @property {import("node:child_process").ChildProcess} gateway
 * @property {number} port
 * @property {() => number} logBytes
 */

/** @param {Place} place */
function measuring({ stubs, gateway, port, logBytes }) {
  const pid = gateway.pid ?? 0;
  /** CPU milliseconds of the gateway. @param {() => Promise<unknown>} work */
  const cost = async (work) => {
    const before = cpuOfProcess(pid);
    await work();
    return cpuOfProcess(pid) - before;
  };
  return async (/** @type {number} */ size, /** @type {number} */ times, /** @type {number} */ idleMs) => {
    const crowd = startBeside(CROWD, [String(port), String(size), "stub__list_issue_0", "issue_0"]);
    const heard = (/** @type {string} */ wanted) => hear(crowd.child, wanted);
    const call = async (/** @type {number} */ among) => {
      const all = await cost(() => {
        crowd.child.send({ calls: times, among });
        return heard("done");
      });
      return all / times;
    };
    const connect = await cost(() => heard("all there"));
    const wake = await call(size);
    await pause(SETTLE_MS);
    const logged = logBytes();
    const awake = await call(1);
    await pause(SETTLE_MS);
    const log = (logBytes() - logged) / times;
    gateway.send("look");
    const [{ rss, clients }] = await once(gateway, "message");
    if (clients !== size) throw new Error(`${clients} clients instead of ${size}`);
    const idle = (await cost(() => pause(idleMs))) / (idleMs / 1_000);
    let tell = 0;
    for (let change = 0; change < CHANGES; change++)
      tell += await cost(() => {
        stubs.send(0);
        return heard("all told");
      });
    // Those who come for the measurement find nobody of the warm-up.
    if (size === WARM) {
      crowd.child.send("leave");
      await heard("done");
    }
    await crowd.end();
    return { cpu: { connect, call: awake, wake, tell: tell / CHANGES, idle }, memory: rss, counts: { log } };
  };
}

/** @param {import("node:child_process").ChildProcess} child @param {string} wanted */
function hear(child, wanted) {
  return new Promise((resolve, reject) => {
    const left = () => reject(new Error(`a program ended before it said "${wanted}"`));
    const said = (/** @type {unknown} */ message) => {
      if (message !== wanted) return;
      child.off("message", said).off("exit", left);
      resolve(undefined);
    };
    child.on("message", said).once("exit", left);
  });
}

/** @param {number} ms */
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
