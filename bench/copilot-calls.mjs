import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openConnection } from "../dist/surfaces/copilot/connection.js";
import { median } from "./measure.mjs";
import { cpuOfTree } from "./process-tree.mjs";

const CLI = fileURLToPath(new URL("../bin/toolcrib.js", import.meta.url));
const ECHO = fileURLToPath(new URL("bare-echo.mjs", import.meta.url));
const ROUNDS = 5;
/** Replies of the model in one turn, and calls in one of its long replies. */
const REPLIES = 40;
const MANY = 9;
const REQUESTS = 2_000;
const usage = { input: 10, output: 10 };
const tools = [{ name: "echo", description: "Says it again", parameters: { type: "object" }, skipPermission: true }];

/** Milliseconds that one more call of a client's tool takes, by CPU and by the clock, and a reply with one call in all. */
export async function measureCalls() {
  const home = mkdtempSync(join(tmpdir(), "toolcrib-copilot-"));
  const script = join(home, "script.json");
  writeFileSync(
    script,
    JSON.stringify({
      replies: Array(ROUNDS + 1)
        .fill([...turn(1), ...turn(MANY)])
        .flat(),
    }),
  );
  const env = { ...process.env, COPILOT_HOME: home };
  const child = spawn(process.execPath, [CLI, "--headless", "--stdio"], { env, stdio: ["pipe", "pipe", "inherit"] });
  let idle = () => {};
  const client = connect(child, (params) => {
    const { type, data } = /** @type {{ type: string, data: { requestId: string } }} */ (params.event ?? {});
    if (type === "session.idle") idle();
    if (type !== "external_tool.requested") return;
    const answer = { sessionId: "s", requestId: data.requestId, result: "hi" };
    void client.request("session.tools.handlePendingToolCall", answer);
  });
  await client.request("connect", {});
  await client.request("session.create", { sessionId: "s", model: `scripted:${script}`, tools });
  const runTurn = () =>
    timeOf(child, async () => {
      const done = /** @type {Promise<void>} */ (new Promise((resolve) => (idle = resolve)));
      await client.request("session.send", { sessionId: "s", prompt: "Go" });
      await done;
    });
  await runTurn();
  await runTurn();
  /** @type {Record<"one" | "many", { cpu: number, wall: number }>[]} */
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push({ one: await runTurn(), many: await runTurn() });
  child.kill();
  rmSync(home, { recursive: true, force: true });
  if (rounds.some(({ one }) => one.cpu === 0)) throw new Error("this row needs /proc, from which it reads CPU times");
  const each = (/** @type {"cpu" | "wall"} */ of) => ({
    more: median(rounds.map(({ one, many }) => (many[of] - one[of]) / REPLIES / (MANY - 1))),
    whole: median(rounds.map(({ one }) => one[of] / REPLIES)),
  });
  return { cpu: each("cpu"), wall: each("wall") };
}

/** Milliseconds that one request to a bare program takes. */
export async function measureEcho() {
  const child = spawn(process.execPath, [ECHO], { stdio: ["pipe", "pipe", "inherit"] });
  const client = connect(child, () => {});
  const ask = async () => {
    for (let count = 0; count < REQUESTS; count += 1)
      await client.request("tool.call", { sessionId: "s", toolName: "echo", arguments: { text: "hi" } });
  };
  await ask();
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await timeOf(child, ask));
  child.kill();
  return {
    cpu: median(rounds.map(({ cpu }) => cpu)) / REQUESTS,
    wall: median(rounds.map(({ wall }) => wall)) / REQUESTS,
  };
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
