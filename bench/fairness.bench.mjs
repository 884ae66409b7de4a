import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { constants, setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "./gateway-targets.mjs";
import { TOKEN } from "./gateway-token.mjs";
import { median } from "./measure.mjs";
import { startTree } from "./process-tree.mjs";
import { openRawSession } from "./raw-session.mjs";

const ROUNDS = 5;
const SECONDS = 3;
const TOKENS = 90;
const EACH = 11;
const GREEDY = 10;
const LIMIT = 2;
const COMMAND = fileURLToPath(new URL("../bin/toolcrib.js", import.meta.url));
const SERVER = fileURLToPath(new URL("./fair-server.mjs", import.meta.url));
const CROWD = fileURLToPath(new URL("./fair-crowd.mjs", import.meta.url));

const KINDS = /** @type {const} */ ([
  ["greedy", "ten clients with 32 calls open each, all the time"],
  ["slow", "ten clients with 32 calls open each at a server that takes a second"],
  ["large", "an answer of 10 MB every second"],
]);

/** How long others wait for their calls while somebody takes all that the gateway gives. */
export async function run() {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-bench-"));
  const port = await freePort();
  const names = (/** @type {string} */ what, /** @type {number} */ many) =>
    Array.from({ length: many }, (_, at) => `${what}-token-${at}`);
  const [modest, greedy] = [names("modest", TOKENS), names("greedy", GREEDY)];
  const tree = start(folder, port, [...modest, ...greedy]);
  try {
    const first = await openRawSession(port, TOKEN);
    await first.until("large__much");
    first.close();
    const others = await gather(port, modest, EACH);
    const loud = await gather(port, greedy, 1);
    giveWay(loud.pid);
    return await measure(others, loud);
  } finally {
    await tree.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @typedef {Awaited<ReturnType<typeof gather>>} Crowd */

/**
 * @param {number} port
 * @param {readonly string[]} tokens
 * @param {number} each
 */
async function gather(port, tokens, each) {
  const child = fork(CROWD, [String(port), JSON.stringify(tokens), String(each)], { detached: true });
  process.once("exit", () => child.kill());
  await once(child, "message");
  return {
    pid: child.pid ?? 0,
    /** @param {string} kind @param {number} seconds @returns {Promise<number[]>} */
    async call(kind, seconds) {
      child.send({ kind, seconds });
      return (await once(child, "message"))[0];
    },
  };
}

/** @param {Crowd} others @param {Crowd} loud */
async function measure(others, loud) {
  await others.call("modest", 2 * SECONDS);
  /** @type {Map<string, { alone: number[], beside: number[], calls: number }>} */
  const seen = new Map(KINDS.map(([kind]) => [kind, { alone: [], beside: [], calls: 0 }]));
  for (let round = 0; round < ROUNDS; round++)
    for (const [kind, { alone, beside }] of seen) {
      alone.push(p99(await others.call("modest", SECONDS)));
      const noise = loud.call(kind, SECONDS + 1);
      await pass(500);
      beside.push(p99(await others.call("modest", SECONDS)));
      const made = await noise;
      const entry = seen.get(kind);
      if (entry !== undefined) entry.calls += made.length;
      console.error(
        `Fairness: ${kind} ${alone.at(-1)?.toFixed(1)} ms alone, ${beside.at(-1)?.toFixed(1)} ms beside ${made.length} calls`,
      );
    }
  return KINDS.map(([kind, what]) => {
    const { alone = [], beside = [], calls = 0 } = seen.get(kind) ?? {};
    return {
      name: `990 other clients, 150 calls a second: their p99 beside ${what}, against alone`,
      measured: `${median(beside).toFixed(1)} ms against ${median(alone).toFixed(1)} ms; ${(calls / ROUNDS / (SECONDS + 1)).toFixed(1)} of the others' calls a second`,
      ratio: median(beside) / median(alone),
      limit: LIMIT,
    };
  });
}

/**
 * In the world they are on machines of their own: the gateway's CPU is not to go to those who take much.
 * @param {number} pid
 */
function giveWay(pid) {
  setPriority(pid, constants.priority.PRIORITY_LOW);
  // Where Linux shares CPU between groups of processes, priorities only count inside one.
  const group = `/proc/${pid}/autogroup`;
  if (existsSync(group)) writeFileSync(group, `${constants.priority.PRIORITY_LOW}`);
}

/** @param {number[]} times */
function p99(times) {
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN;
}

/**
 * `toolcrib up` as a company has it: rules, its log on the disk, its store, tokens.
 * @param {string} folder
 * @param {number} port
 * @param {readonly string[]} tokens
 */
function start(folder, port, tokens) {
  const names = ["quick", "slow", "large"];
  const server = { type: "stdio", command: process.execPath, args: [SERVER] };
  const file = join(folder, "toolcrib.json");
  writeFileSync(
    file,
    JSON.stringify({
      mcpServers: Object.fromEntries(names.map((name) => [name, server])),
      permissions: { allow: names.map((name) => `mcp__${name}`), ask: ["Write(.env)"], deny: ["Bash(rm:*)"] },
      toolSearch: "off",
      gateway: {
        token: `\${BENCH_TOKEN}`,
        clients: tokens.map((_, at) => ({ name: `client-${at}`, token: `\${BENCH_CLIENT_${at}}` })),
        // They all work: none of them is to be woken for its call.
        capacity: { whole: 2_000, silent: 2_000 },
      },
    }),
  );
  const home = join(folder, "home");
  mkdirSync(home);
  const secrets = Object.fromEntries(tokens.map((token, at) => [`BENCH_CLIENT_${at}`, token]));
  return startTree(process.execPath, [COMMAND, "up", "--config", file, "--port", String(port)], {
    cwd: home,
    env: { HOME: home, XDG_STATE_HOME: join(home, "state"), BENCH_TOKEN: TOKEN, ...secrets },
  });
}
