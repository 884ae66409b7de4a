// What a hook of a client costs: with a Toolcrib that runs, and with none.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { median } from "./measure.mjs";

const BIN = fileURLToPath(new URL("../bin/toolcrib.js", import.meta.url));
const BARE = fileURLToPath(new URL("./bare-socket.mjs", import.meta.url));
const COUNTER = fileURLToPath(new URL("./count-spawns.cjs", import.meta.url));
const ROUNDS = 25;
const CALLS = 300;
const CROWD = 100;
const RULES =
  'permissions:\n  deny: ["Bash(rm:*)", "Bash(git push:*)", "Read(**/.env)"]\n  allow: ["Bash(npm test:*)"]\n';
/** What agents run all day: a folder, a quoted word, a pipe, a redirection. */
const COMMAND = 'cd app && npm run build 2>&1 | grep -v "warning:" | tail -20';

/** Hooks that said no because their time was over. */
let late = 0;

/** @typedef {readonly [program: string, ...args: string[]]} Argv */
/** @typedef {{ argv: Argv, input?: string, says?: RegExp }} Started */

export async function run() {
  const home = mkdtempSync(join(tmpdir(), "toolcrib-guard-"));
  const cwd = join(home, "work");
  const env = { PATH: process.env.PATH ?? "", HOME: home };
  for (const folder of [join(cwd, ".git"), join(home, ".claude"), join(home, ".config", "toolcrib")])
    mkdirSync(folder, { recursive: true });
  writeFileSync(join(home, ".config", "toolcrib", "config.yaml"), RULES);
  /** @param {string[]} words */
  const toolcrib = (...words) => {
    const { status, stderr } = spawnSync(process.execPath, [BIN, ...words], { cwd, env, encoding: "utf8" });
    if (status !== 0) throw new Error(`toolcrib ${words.join(" ")}: ${stderr}`);
  };
  const socket = join(home, "bare.sock");
  let up = /** @type {ReturnType<typeof startUp> | null} */ (null);
  const bare = spawn(process.execPath, [BARE, socket], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    await once(bare.stdout, "data");
    toolcrib("guard", "install", "claude-code");
    const settings = JSON.parse(readFileSync(join(home, ".claude", "settings.json"), "utf8"));
    const line = settings.hooks.PreToolUse[0].hooks[0].command;
    const event = (/** @type {string} */ command) =>
      JSON.stringify({ hook_event_name: "PreToolUse", cwd, tool_name: "Bash", tool_input: { command } });
    const input = event(COMMAND);
    const place = { cwd, env };
    /** @type {Started} */
    const curl = { argv: ["curl", "-s", "--unix-socket", socket, "--data-urlencode", "event@-", "http://x/"], input };
    /** @type {Started} */
    const node = { argv: [process.execPath, "-e", "0"] };
    /** @type {Started} */
    const shell = { argv: ["/bin/sh", "-c", line], input, says: /^$/ };
    /** @type {Started} */
    const hook = { argv: [process.execPath, BIN, "hook", "claude-code"], input, says: /^$/ };
    const denied = { input: event("git push --force"), says: /"deny"/ };

    // The first two hooks keep what the others find.
    for (const _ of [1, 2, 3]) await start(hook, place);
    const alone = await inTurns({ ours: hook, floor: node }, place);
    const crowdAlone = await inTurns({ ours: { ...hook, ...denied }, floor: node }, place, { rounds: 3, at: CROWD });
    up = startUp(home, place);
    await once(up.stdout, "data");
    const asked = await inTurns({ ours: hook, floor: node }, place);
    const asking = await inTurns({ ours: shell, floor: curl }, place);
    const crowd = await inTurns({ ours: { ...shell, ...denied }, floor: curl }, place, { rounds: 5, at: CROWD });
    const { calls, spawns, took } = await askByTool(home, place);
    return [
      toRow("a running Toolcrib is asked by the shell, against `curl` to a Unix socket", asking, "curl", 1.5),
      toRow("a running Toolcrib is asked by Node, against `node -e 0`", asked, "node -e 0", 2),
      toRow("nothing runs, against `node -e 0`", alone, "node -e 0", 5),
      {
        name: "the gateway is asked over the client's own connection: processes for a call",
        measured: `${spawns} for ${calls} calls of ${took.toFixed(1)} ms`,
        ratio: spawns / calls,
        limit: 0,
      },
      toRow(`${CROWD} at once by the shell, all refused, against ${CROWD} of curl`, crowd, "curl", 1.5),
      toRow(`${CROWD} at once where nothing runs, all refused, against ${CROWD} of node`, crowdAlone, "node -e 0", 5),
    ];
  } finally {
    up?.kill();
    bare.kill();
    if (up !== null) await once(up, "exit");
    rmSync(home, { recursive: true, force: true });
  }
}

/**
 * A Toolcrib that writes down what it starts.
 * @param {string} home
 * @param {{ cwd: string, env: NodeJS.ProcessEnv }} place
 */
function startUp(home, { cwd, env }) {
  const argv = ["--require", COUNTER, BIN, "up", "--port", "0", "--json"];
  const spawns = { SPAWNS: join(home, "spawns") };
  return spawn(process.execPath, argv, { cwd, env: { ...env, ...spawns }, stdio: ["ignore", "pipe", "ignore"] });
}

/**
 * As a client does that is connected: its hook calls a tool.
 * @param {string} home
 * @param {{ cwd: string, env: NodeJS.ProcessEnv }} place
 */
async function askByTool(home, { cwd, env }) {
  const client = spawn(process.execPath, [BIN, "connect"], { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
  const lines = createInterface({ input: client.stdout })[Symbol.asyncIterator]();
  /** @param {object} message */
  const send = (message) => client.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  /** @param {number} id @returns {Promise<any>} */
  const answerTo = async (id) => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error("connect has ended");
      const message = JSON.parse(value);
      if (message.id === id) return message;
    }
  };
  const clientInfo = { name: "claude-code", version: "2.1.197" };
  send({ id: 0, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } });
  await answerTo(0);
  send({ method: "notifications/initialized" });
  const input = JSON.stringify({ command: "git push --force" });
  const params = { name: "judge", arguments: { client: "claude-code", tool: "Bash", input, cwd } };
  const times = [];
  const before = spawnsIn(home);
  for (let id = 1; id <= CALLS; id++) {
    const from = performance.now();
    send({ id, method: "tools/call", params });
    const { result } = await answerTo(id);
    if (!result.content[0].text.includes('"deny"')) throw new Error(`the tool said ${JSON.stringify(result)}`);
    times.push(performance.now() - from);
  }
  client.stdin.end();
  return { calls: CALLS, spawns: spawnsIn(home) - before, took: median(times) };
}

/** @param {string} home */
function spawnsIn(home) {
  const file = join(home, "spawns");
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;
}

/**
 * @param {string} name
 * @param {Awaited<ReturnType<typeof inTurns>>} times
 * @param {string} floor
 * @param {number} limit
 */
function toRow(name, times, floor, limit) {
  const out = times.late === 0 ? "" : `; ${times.late} of ${times.asked} hooks said no because their time was over`;
  const measured = `${times.ours.toFixed(0)} ms against ${times.floor.toFixed(0)} ms of ${floor}${out}`;
  return { name, measured, ratio: times.ratio, limit };
}

/**
 * Wall time of both, in turns, so that what else the machine does disturbs both alike. The ratio is the median of those of all rounds.
 * @param {{ ours: Started, floor: Started }} two
 * @param {{ cwd: string, env: NodeJS.ProcessEnv }} place
 * @param {{ rounds?: number, at?: number }} [many]
 */
async function inTurns({ ours, floor }, place, { rounds = ROUNDS, at = 1 } = {}) {
  const times = { ours: /** @type {number[]} */ ([]), floor: /** @type {number[]} */ ([]) };
  late = 0;
  for (let round = 0; round < rounds; round++) {
    times.floor.push(await startAll(floor, place, at));
    times.ours.push(await startAll(ours, place, at));
  }
  const ratio = median(times.ours.map((ours, at) => ours / (times.floor[at] ?? Number.NaN)));
  return { ours: median(times.ours), floor: median(times.floor), ratio, late, asked: rounds * at };
}

/** @param {Started} started @param {{ cwd: string, env: NodeJS.ProcessEnv }} place @param {number} count */
async function startAll(started, place, count) {
  const from = performance.now();
  await Promise.all(Array.from({ length: count }, () => start(started, place)));
  return performance.now() - from;
}

/**
 * Until its end, with what a client reads of it.
 * @param {Started} started
 * @param {{ cwd: string, env: NodeJS.ProcessEnv }} place
 * @returns {Promise<void>}
 */
function start({ argv: [program, ...args], input = "", says }, { cwd, env }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
    let out = "";
    let err = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      out += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text) => {
      err += text;
    });
    child.on("error", reject);
    child.on("close", (status) => {
      if (status === 0 && (says === undefined || says.test(out))) resolve();
      else if (status === 2 && /no answer/.test(err)) resolve(void late++);
      else reject(new Error(`${program} ${args.join(" ")} ended with ${status}: ${out}${err}`));
    });
    child.stdin.on("error", () => {}).end(input);
  });
}
