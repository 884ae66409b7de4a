import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createCopilotServer } from "../dist/surfaces/copilot/copilot-server.js";
import { openConnection } from "../dist/surfaces/copilot/wire/connection.js";
import { measureCalls } from "./copilot-calls.mjs";
import { median } from "./measure.mjs";

const STARTS = 7;
const SESSIONS = 200;
const CLI = fileURLToPath(new URL("../bin/toolcrib.js", import.meta.url));

/** @typedef {{ name: string, measured: string, ratio: number, limit: number }} Row */

/** What clients of the Copilot SDK wait for. */
export async function run() {
  return [await callRow(), await startRow(), ...(await memoryRows())];
}

/** @returns {Promise<Row>} */
async function callRow() {
  const { wall, cpu } = await measureCalls();
  return {
    name: "Round trip of a client's tool, against a bare JSON-RPC echo",
    measured: `${wall.more.toFixed(2)} ms, echo ${wall.echo.toFixed(3)} ms; CPU ${cpu.more.toFixed(2)} ms, echo ${cpu.echo.toFixed(3)} ms; a reply with one call in all ${wall.whole.toFixed(2)} ms`,
    ratio: wall.more / wall.echo,
    limit: 4,
  };
}

/** @returns {Promise<Row>} */
async function startRow() {
  const home = mkdtempSync(join(tmpdir(), "toolcrib-copilot-"));
  /** @type {number[]} */
  const bare = [];
  /** @type {number[]} */
  const ours = [];
  for (let round = 0; round < STARTS; round += 1) {
    bare.push(await timed(() => ended(spawn(process.execPath, ["-e", "0"]))));
    ours.push(await timed(() => connected(home)));
  }
  rmSync(home, { recursive: true, force: true });
  const ratio = median(ours) / median(bare);
  const measured = `${median(ours).toFixed(0)} ms, node -e 0 ${median(bare).toFixed(0)} ms`;
  return { name: "Start until connect is answered, against an empty program", measured, ratio, limit: 3 };
}

/** @param {() => Promise<void>} work */
async function timed(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** @param {import("node:child_process").ChildProcess} child */
function ended(child) {
  return /** @type {Promise<void>} */ (new Promise((resolve) => child.on("close", () => resolve())));
}

/** @param {string} home */
async function connected(home) {
  const env = { ...process.env, COPILOT_HOME: home };
  const child = spawn(process.execPath, [CLI, "--headless", "--stdio"], { env, stdio: ["pipe", "pipe", "inherit"] });
  const client = openConnection({ input: child.stdout, output: child.stdin, onNote: () => {}, onRequest: () => null });
  await client.request("connect", {});
  child.kill();
}

/** @returns {Promise<readonly Row[]>} */
async function memoryRows() {
  const home = mkdtempSync(join(tmpdir(), "toolcrib-copilot-"));
  const script = join(home, "script.json");
  writeFileSync(script, JSON.stringify({ replies: [] }));
  process.env.COPILOT_HOME = home;
  const server = createCopilotServer({ approvesAll: true, tokenVariable: null }, () => {});
  const up = new PassThrough();
  const down = new PassThrough();
  server.serve(up, down);
  const client = openConnection({ input: down, output: up, onNote: () => {}, onRequest: () => null });
  await client.request("session.create", { sessionId: "first", model: `scripted:${script}` });
  const before = await heap();
  const ids = Array.from({ length: SESSIONS }, (_, count) => `s${count}`);
  for (const sessionId of ids) await client.request("session.create", { sessionId, model: `scripted:${script}` });
  const most = await heap();
  for (const sessionId of ids) await client.request("session.destroy", { sessionId });
  const left = ((await heap()) - before) / (most - before);
  await server.close();
  rmSync(home, { recursive: true, force: true });
  const each = (most - before) / SESSIONS / 1024;
  return [
    {
      name: `Memory of one of ${SESSIONS} idle sessions, against 500 KB`,
      measured: `${each.toFixed(0)} KB`,
      ratio: each / 500,
      limit: 1,
    },
    {
      name: "Of the memory of all of them what is still used once they have ended, against 10 %",
      measured: `${(100 * left).toFixed(1)} %`,
      ratio: left / 0.1,
      limit: 1,
    },
  ];
}

/** What ended lately is let go of a few turns of the event loop later. */
async function heap() {
  for (let turn = 0; turn < 5; turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    collect();
  }
  return process.memoryUsage().heapUsed;
}

setFlagsFromString("--expose-gc");
const collect = /** @type {() => void} */ (runInNewContext("gc"));
