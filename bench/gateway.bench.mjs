import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { memoryRows } from "./gateway-memory.mjs";
import { isUpstream } from "./gateway-programs.mjs";
import { COMPILED, freePort, NPM_PEERS, OFFICIAL, targets } from "./gateway-targets.mjs";
import { TOKEN } from "./gateway-token.mjs";
import { median } from "./measure.mjs";
import { findCompiledPeer, installPeers, NO_COMPILED_PEER } from "./peers.mjs";
import { cpuOfTree } from "./process-tree.mjs";
import { openRawSession, within } from "./raw-session.mjs";

const ROUNDS = 5;
/** One by one, and as many by all workers: what V8 compiled for the one it compiles again for the other. */
const WARM_UP = 3_000;
const ONE_BY_ONE = 500;
const ABREAST = 1_600;
const WORKERS = 32;
const MOST_STDIO = 0.35;
/** Milliseconds; taking longer means that an answer is lost. */
const MOST_TIME = 120_000;

/** What a call costs behind this gateway and behind others, in front of the same server. */
export async function run() {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-bench-"));
  try {
    const [peer, compiled] = [installPeers(), findCompiledPeer()];
    const costs = await measureAll(targets(folder, peer, compiled));
    return [
      ...compare(costs),
      ...compareOfficial(costs),
      await lists(folder),
      await manyAtOnce(folder),
      ...(await memoryRows(folder, peer, compiled)),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * CPU milliseconds a call, by target: of everything between the client and the answer, and of that without the server
 * behind, which is the same program everywhere.
 * @typedef {{ whole: number, own: number }} Cost
 */

/**
 * The median over rounds, in which targets take turns.
 * @param {ReturnType<typeof targets>} all
 */
async function measureAll(all) {
  /** @type {Map<string, Cost[]>} */
  const costs = new Map();
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, open } of all) {
      const target = await open();
      try {
        const cost = await within(MOST_TIME, measure(target));
        costs.set(name, [...(costs.get(name) ?? []), cost]);
        console.error(
          `Gateway: ${name} ${cost.whole.toFixed(3)} CPU ms a call, ${cost.own.toFixed(3)} without the server`,
        );
      } finally {
        await target.close();
      }
    }
  }
  return new Map(
    [...costs].map(([name, all]) => [
      name,
      { whole: median(all.map(({ whole }) => whole)), own: median(all.map(({ own }) => own)) },
    ]),
  );
}

/**
 * @param {import("./gateway-targets.mjs").Target} target
 * @returns {Promise<Cost>}
 */
async function measure(target) {
  for (let index = 0; index < WARM_UP; index++) await call(target);
  await callAbreast(target, WARM_UP);
  const before = cpuOfTree(target.pid, isUpstream);
  for (let index = 0; index < ONE_BY_ONE; index++) await call(target);
  await callAbreast(target, ABREAST);
  const after = cpuOfTree(target.pid, isUpstream);
  const calls = ONE_BY_ONE + ABREAST;
  return { whole: (after.whole - before.whole) / calls, own: (after.own - before.own) / calls };
}

/**
 * @param {import("./gateway-targets.mjs").Target} target
 * @param {number} calls
 */
async function callAbreast(target, calls) {
  let left = calls;
  const work = async () => {
    while (left-- > 0) await call(target);
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
}

/** @param {import("./gateway-targets.mjs").Target} target */
async function call({ echo }) {
  const text = await echo("hello");
  if (!text.includes("Echo: hello")) throw new Error(`not an echo: ${text}`);
}

/** @typedef {ReadonlyMap<string, Cost>} Costs */

/**
 * @param {Costs} costs
 * @param {string} name
 */
function wholeOf(costs, name) {
  return costs.get(name)?.whole ?? Number.NaN;
}

/**
 * @param {Costs} costs
 * @param {string} name
 */
function tell(costs, name) {
  return `${wholeOf(costs, name).toFixed(3)} ms (${costs.get(name)?.own.toFixed(3)} without the server)`;
}

/**
 * @param {Costs} costs
 * @param {string} [client]
 */
function bestOfNpm(costs, client = "") {
  const names = NPM_PEERS.map((name) => `${name}${client}`);
  return Math.min(...names.map((name) => wholeOf(costs, name)));
}

/** @param {Costs} costs */
function compare(costs) {
  const of = (/** @type {string} */ name) => wholeOf(costs, name);
  const ms = (/** @type {string} */ name) => `${of(name).toFixed(3)} ms`;
  return [
    {
      name: `CPU a call over HTTP with rules, a hook and audit, against the best of ${NPM_PEERS.join(", ")}`,
      measured: `${tell(costs, "toolcrib HTTP")} against ${NPM_PEERS.map((name) => `${name} ${tell(costs, name)}`).join(", ")}`,
      ratio: of("toolcrib HTTP") / bestOfNpm(costs),
      limit: 0.6,
    },
    againstCompiled(costs, "", 1),
    {
      name: "the same against the server's own Streamable HTTP",
      measured: `${ms("toolcrib HTTP")} against ${ms("direct HTTP")}`,
      ratio: of("toolcrib HTTP") / of("direct HTTP"),
      limit: 0.6,
    },
    {
      name: "CPU that the stdio front adds to a call, in units of 0.35 ms",
      measured: `${ms("toolcrib stdio")} against ${ms("direct stdio")} direct`,
      ratio: (of("toolcrib stdio") - of("direct stdio")) / MOST_STDIO,
      limit: 1,
    },
  ];
}

/** @param {Costs} costs */
function compareOfficial(costs) {
  const own = `toolcrib HTTP${OFFICIAL}`;
  const peers = NPM_PEERS.map((name) => `${name} ${tell(costs, `${name}${OFFICIAL}`)}`);
  return [
    {
      name: `CPU a call of the official client, with rules, a hook and audit, against the best of ${NPM_PEERS.join(", ")}`,
      measured: `${tell(costs, own)} against ${peers.join(", ")}`,
      ratio: wholeOf(costs, own) / bestOfNpm(costs, OFFICIAL),
      limit: 0.6,
    },
    againstCompiled(costs, OFFICIAL, 1.2),
  ];
}

/**
 * @param {Costs} costs
 * @param {string} client
 * @param {number} limit
 */
function againstCompiled(costs, client, limit) {
  const [own, peer] = [`toolcrib HTTP${client}`, `${COMPILED}${client}`];
  const name = `the same against ${COMPILED}, without rules, hook and audit`;
  if (!costs.has(peer)) return { name, measured: NO_COMPILED_PEER, ratio: null, limit };
  const measured = `${tell(costs, own)} against ${tell(costs, peer)}`;
  return { name, measured, ratio: wholeOf(costs, own) / wholeOf(costs, peer), limit };
}

const WARM_UP_LISTS = 2_000;
const LISTS = 1_000;
const OWN = fileURLToPath(new URL("./gateway-process.mjs", import.meta.url));
const BARE = fileURLToPath(new URL("./bare-server.mjs", import.meta.url));

/**
 * A process that ends with this one, however that ends.
 * @param {string} script
 * @param {number} port
 * @param {string[]} args
 */
function start(script, port, ...args) {
  const own = spawn(process.execPath, [script, String(port), ...args], { stdio: "ignore" });
  process.once("exit", () => own.kill());
  return own;
}

/**
 * A list of tools against the same bytes from a process that does nothing else; both take turns.
 * @param {string} folder
 */
async function lists(folder) {
  const port = await freePort();
  const own = start(OWN, port);
  const session = await openRawSession(port, TOKEN);
  await session.until("everything__echo");
  const file = join(folder, "list.json");
  writeFileSync(file, await session.post("tools/list"));
  const barePort = await freePort();
  const bare = start(BARE, barePort, file);
  const floor = await openRawSession(barePort, TOKEN);
  /** @type {Map<typeof session, number[]>} */
  const times = new Map([
    [session, []],
    [floor, []],
  ]);
  for (let round = 0; round < WARM_UP_LISTS + LISTS; round++) {
    for (const [each, taken] of times) {
      const start = performance.now();
      await each.post("tools/list");
      if (round >= WARM_UP_LISTS) taken.push(performance.now() - start);
    }
  }
  own.kill();
  bare.kill();
  session.close();
  floor.close();
  const [mine, least] = [median(times.get(session) ?? []), median(times.get(floor) ?? [])];
  return {
    name: "tools/list over HTTP, p50, against a bare node:http answer of the same bytes",
    measured: `${mine.toFixed(2)} ms against ${least.toFixed(2)} ms`,
    ratio: mine / least,
    limit: 1.5,
  };
}

const SERVERS = 20;
const AT_ONCE = 1_000;

/**
 * All calls at once, on all servers; what counts is that every one is answered.
 * @param {string} folder
 */
async function manyAtOnce(folder) {
  const port = await freePort();
  const file = join(folder, "inside.json");
  const own = start(OWN, port, String(SERVERS), file);
  const session = await openRawSession(port, TOKEN);
  const name = (/** @type {number} */ at) => `everything${at === 0 ? "" : at + 1}__echo`;
  for (let at = 0; at < SERVERS; at++) await session.until(`"${name(at)}"`);
  const call = async (/** @type {number} */ at) => {
    const message = `m${at}`;
    const text = await session.post("tools/call", { name: name(at % SERVERS), arguments: { message } });
    return text.includes(`Echo: ${message}"`);
  };
  for (let at = 0; at < 200; at++) await call(at);
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => call(at + 1_000)));
  own.kill("SIGUSR2");
  await new Promise((resolve) => setTimeout(resolve, 500));
  const inside = /** @type {number[]} */ (JSON.parse(readFileSync(file, "utf8"))).slice(-AT_ONCE).sort((a, b) => a - b);
  own.kill();
  session.close();
  const at = (/** @type {number} */ share) => (inside[Math.floor(inside.length * share)] ?? Number.NaN).toFixed(1);
  const wrong = answers.filter((isRight) => !isRight).length;
  return {
    name: `${AT_ONCE.toLocaleString("en")} calls at once on ${SERVERS} servers: answers that are missing or wrong`,
    measured: `${wrong}; inside the gateway p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`,
    ratio: wrong,
    limit: 0,
  };
}
