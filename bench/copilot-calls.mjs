import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openConnection } from "../dist/surfaces/copilot/wire/connection.js";
import { median } from "./measure.mjs";
import { cpuOfTree } from "./process-tree.mjs";

const CLI = fileURLToPath(new URL("../bin/toolcrib.js", import.meta.url));
const ECHO = fileURLToPath(new URL("bare-echo.mjs", import.meta.url));
/** Rounds that nobody counts, of 400 calls and as many requests each, and those that count. */
const WARM_UP = 10;
const ROUNDS = 25;
/** Replies of the model in one turn, and calls in one of its long replies. */
const REPLIES = 40;
const MANY = 9;
const REQUESTS = REPLIES * (1 + MANY);
const usage = { input: 10, output: 10 };
const tools = [{ name: "echo", description: "Says it again", parameters: { type: "object" }, skipPermission: true }];

/** @typedef {{ cpu: number, wall: number }} Times Milliseconds. */
/** @typedef {Record<"one" | "many" | "bare", Times>} Round */

/**
 * One more call of a client's tool, a reply with one call in all, and one request to a bare program. Both programs are
 * measured in turns after as many calls as requests, and the median of the rounds counts, for both. What one more call
 * costs is taken from two turns of the same round, so that both are of the same moment.
 */
export async function measureCalls() {
  const runtime = await startRuntime();
  const echo = startEcho();
  /** @type {Round[]} */
  const rounds = [];
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    const bare = await echo.ask();
    await runtime.open();
    rounds.push({ bare, one: await runtime.runTurn(), many: await runtime.runTurn() });
  }
  echo.stop();
  runtime.stop();
  const counted = rounds.slice(WARM_UP);
  if (counted.some(({ one }) => one.cpu === 0)) throw new Error("this row needs /proc, from which it reads CPU times");
  const middle = (/** @type {(round: Round) => number} */ of) => median(counted.map(of));
  const each = (/** @type {keyof Times} */ of) => ({
    more: middle(({ many, one }) => many[of] - one[of]) / REPLIES / (MANY - 1),
    whole: middle(({ one }) => one[of]) / REPLIES,
    echo: middle(({ bare }) => bare[of]) / REQUESTS,
  });
  return { cpu: each("cpu"), wall: each("wall") };
}

async function startRuntime() {
  const home = mkdtempSync(join(tmpdir(), "toolcrib-copilot-"));
  const script = join(home, "script.json");
  writeFileSync(script, JSON.stringify({ replies: [...turn(1), ...turn(MANY)] }));
  const env = { ...process.env, COPILOT_HOME: home };
  const child = spawn(process.execPath, [CLI, "--headless", "--stdio"], { env, stdio: ["pipe", "pipe", "inherit"] });
  let idle = () => {};
  let sessions = 0;
  const current = () => `s${sessions}`;
  const client = connect(child, (params) => {
    const { type, data } = /** @type {{ type: string, data: { requestId: string } }} */ (params.event ?? {});
    if (type === "session.idle") idle();
    if (type !== "external_tool.requested") return;
    const answer = { sessionId: current(), requestId: data.requestId, result: "hi" };
    void client.request("session.tools.handlePendingToolCall", answer);
  });
  await client.request("connect", {});
  return {
    /** A new session, so that no round has a longer history than another. */
    async open() {
      if (sessions > 0) await client.request("session.destroy", { sessionId: current() });
      sessions += 1;
      await client.request("session.create", { sessionId: current(), model: `scripted:${script}`, tools });
    },
    runTurn: () =>
      timeOf(child, async () => {
        const done = /** @type {Promise<void>} */ (new Promise((resolve) => (idle = resolve)));
        await client.request("session.send", { sessionId: current(), prompt: "Go" });
        await done;
      }),
    stop() {
      child.kill();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function startEcho() {
  const child = spawn(process.execPath, [ECHO], { stdio: ["pipe", "pipe", "inherit"] });
  const client = connect(child, () => {});
  const ask = async () => {
    for (let count = 0; count < REQUESTS; count += 1)
      await client.request("tool.call", { sessionId: "s", toolName: "echo", arguments: { text: "hi" } });
  };
  return { ask: () => timeOf(child, ask), stop: () => void child.kill() };
}

/** @param {number} calls */
function turn(calls) {
  const reply = { calls: Array(calls).fill({ tool: "echo", arguments: { text: "hi" } }), usage };
  return [...Array(REPLIES).fill(reply), { text: "Done.", usage }];
}

/**
 * @param {import("node:child_process").ChildProcessByStdio<import("node:stream").Writable, import("node:stream").Readable, null>} child
 * @param {(params: Readonly<Record<string, unknown>>) => void} hear
 */
function connect({ stdout, stdin }, hear) {
  const quiet = { onNote: () => {}, onRequest: () => null };
  return openConnection({ input: stdout, output: stdin, ...quiet, onNotification: (_method, params) => hear(params) });
}

/**
 * @param {import("node:child_process").ChildProcess} child
 * @param {() => Promise<void>} work
 */
async function timeOf({ pid = 0 }, work) {
  const used = () => cpuOfTree(pid, () => false).whole;
  const [before, began] = [used(), performance.now()];
  await work();
  return { wall: performance.now() - began, cpu: used() - before };
}
