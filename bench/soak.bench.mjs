import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "./gateway-targets.mjs";
import { TOKEN } from "./gateway-token.mjs";
import { startTree } from "./process-tree.mjs";
import { openRawSession } from "./raw-session.mjs";

/** `npm run soak` says a million: a day of use. */
const CALLS = Number(process.env.TOOLCRIB_SOAK_CALLS ?? 100_000);
const TENTHS = 10;
const WORKERS = 32;
/** Clients that may be there at a time. */
const KEPT = 48;
const CALLS_OF_A_CLIENT = 100;
const CALLS_OF_A_LIST = 1_000;
/** Milliseconds until what is done later has been done: sessions put to rest, events stored, streams closed. */
const SETTLING = 8_000;
const LIMIT = 1.05;
const COMMAND = fileURLToPath(new URL("../bin/toolcrib.js", import.meta.url));
const INSIDE = new URL("./soak-inside.mjs", import.meta.url).href;
const QUICK = fileURLToPath(new URL("./fair-server.mjs", import.meta.url));
const RESTLESS = fileURLToPath(new URL("../test/fixtures/restless-server.cjs", import.meta.url));

/** @typedef {{ used: number, resident: number }} Memory in bytes */

/** Memory of a gateway that is used for long: calls, clients that come and go, lists of tools that change. */
export async function run() {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-bench-"));
  const gateway = start(folder, await freePort());
  try {
    const first = await openRawSession(gateway.port, TOKEN);
    await first.until("quick__say");
    await first.until("restless__change");
    await first.end();
    const readings = [await gateway.measure()];
    const day = createDay(gateway.port);
    for (let tenth = 1; tenth <= TENTHS; tenth++) {
      await day.pass(CALLS / TENTHS);
      await day.clear();
      readings.push(await gateway.measure());
      const { used = 0, resident = 0 } = readings.at(-1) ?? {};
      console.error(`Soak: ${tenth} of ${TENTHS}, ${mega(used)} MB used, ${mega(resident)} MB resident`);
    }
    return toRows(readings, day.counts);
  } finally {
    await gateway.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {number} port */
function createDay(port) {
  const counts = { calls: 0, clients: 0, lists: 0 };
  /** @param {Awaited<ReturnType<typeof openRawSession>>} session */
  const call = async (session) => {
    const changes = ++counts.calls % CALLS_OF_A_LIST === 0;
    const text = `s${counts.calls}`;
    const answer = changes
      ? await session.post("tools/call", { name: "restless__change", arguments: {} })
      : await session.post("tools/call", { name: "quick__say", arguments: { text } });
    if (!answer.includes(changes ? '"text"' : `"${text}"`)) throw new Error(`no answer to ${text}: ${answer}`);
    if (changes) counts.lists += 1;
  };
  /** @param {number} calls */
  const visit = async (calls) => {
    const client = ++counts.clients;
    const session = await openRawSession(port, TOKEN);
    await session.post("tools/list");
    if (client % 4 < 2) await session.listen();
    for (let left = calls; left > 0; left--) await call(session);
    if (client % 2 === 0) await session.end();
    else session.close();
  };
  return {
    counts,
    /** @param {number} calls of many clients, some at once; afterwards all of them have gone */
    async pass(calls) {
      let left = calls;
      const work = async () => {
        while (left > 0) {
          const share = Math.min(CALLS_OF_A_CLIENT, left);
          left -= share;
          await visit(share);
        }
      };
      await Promise.all(Array.from({ length: WORKERS }, work));
    },
    /** As many come as may be there, for whom those are dropped that left without a word, and end. */
    async clear() {
      const all = await Promise.all(Array.from({ length: KEPT }, () => openRawSession(port, TOKEN)));
      await Promise.all(all.map((session) => session.end()));
    },
  };
}

/** @param {readonly Memory[]} readings @param {{ calls: number, clients: number, lists: number }} counts */
function toRows(readings, { calls, clients, lists }) {
  const [, first] = readings;
  const last = readings.at(-1);
  const number = new Intl.NumberFormat("en");
  const day = `${number.format(calls)} calls, ${number.format(clients)} clients, ${number.format(lists)} changed lists`;
  const row = (/** @type {string} */ what, /** @type {keyof Memory} */ kind) => ({
    name: `${day}: ${what} after the last tenth, against after the first`,
    measured: `${readings.map((reading) => mega(reading[kind])).join(", ")} MB (before, and after each tenth)`,
    ratio: (last?.[kind] ?? Number.NaN) / (first?.[kind] ?? Number.NaN),
    limit: LIMIT,
  });
  return [row("what is used of heap and buffers", "used"), row("resident memory", "resident")];
}

/** @param {number} bytes */
function mega(bytes) {
  return (bytes / 1024 / 1024).toFixed(1);
}

/**
 * `toolcrib up` with rules, its log on the disk and its store. It keeps few clients that left without a word, so that as
 * many are dropped in a tenth as come.
 * @param {string} folder
 * @param {number} port
 */
function start(folder, port) {
  const home = join(folder, "home");
  mkdirSync(home);
  const file = join(folder, "toolcrib.json");
  const memory = join(folder, "memory.json");
  const server = (/** @type {string[]} */ ...args) => ({ type: "stdio", command: process.execPath, args });
  const config = {
    mcpServers: { quick: server(QUICK), restless: server(RESTLESS, "every=0", "tools=20") },
    permissions: { allow: ["mcp__quick", "mcp__restless"], ask: ["Write(.env)"], deny: ["Bash(rm:*)"] },
    toolSearch: "off",
    gateway: { token: `\${BENCH_TOKEN}`, capacity: { perToken: KEPT, whole: 40 } },
  };
  writeFileSync(file, JSON.stringify(config));
  const tree = startTree(
    process.execPath,
    ["--expose-gc", "--import", INSIDE, COMMAND, "up", "--config", file, "--port", String(port)],
    {
      cwd: home,
      env: { HOME: home, XDG_STATE_HOME: join(home, "state"), BENCH_TOKEN: TOKEN, TOOLCRIB_SOAK_FILE: memory },
    },
  );
  return {
    port,
    end: tree.end,
    /** @returns {Promise<Memory>} once nobody is there any more */
    async measure() {
      await pass(SETTLING);
      process.kill(tree.pid, "SIGUSR2");
      while (!existsSync(memory)) await pass(50);
      const reading = JSON.parse(readFileSync(memory, "utf8"));
      rmSync(memory);
      return reading;
    },
  };
}
