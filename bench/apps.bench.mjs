import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { installOutside } from "../scripts/outside-packages.mjs";
import { median } from "./measure.mjs";
import { cpuOfTree } from "./process-tree.mjs";
import { startModel } from "./scripted-model.mjs";

const VERSION = "1.0.14";
const CLI = fileURLToPath(new URL("../bin/toolcrib.js", import.meta.url));
const PEER = fileURLToPath(new URL("bare-peer.mjs", import.meta.url));
/** Steps of a long turn, and calls of one that makes them at once. */
const STEPS = 50;
const CALLS = 100;
/** Runtimes and bare programs one after the other, rounds of each that nobody counts, and those that count. */
const GENERATIONS = 5;
const WARM_UP = 3;
const ROUNDS = 7;
/** How often a runtime is started for its first session. */
const STARTS = 15;

/** @typedef {{ name: string, measured: string, ratio: number, limit: number }} Row */

/** What an app costs that uses a published client of the Copilot SDK. Needs /proc, and a registry where it runs first. */
export async function run() {
  const packages = installOutside(`copilot-sdk-${VERSION}`, [`@github/copilot-sdk@${VERSION}`], ["--omit=optional"]);
  if (packages === null) throw new Error("the published client could not be had");
  process.env.COPILOT_CLI_PATH = CLI;
  const sdk = await import(pathToFileURL(join(packages, "@github", "copilot-sdk", "dist", "index.js")).href);
  const model = await startModel();
  const home = mkdtempSync(join(tmpdir(), "toolcrib-apps-"));
  try {
    return [...(await turnRows(sdk, model, home, packages)), await createRow(sdk, model, home)];
  } finally {
    model.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** @typedef {Awaited<ReturnType<typeof startModel>>} Model */
/** @typedef {{ CopilotClient: new (options: object) => any, approveAll: unknown }} Sdk */

/** @param {Sdk} sdk @param {Model} model */
function toSession({ approveAll }, model) {
  const parameters = { type: "object", properties: { text: { type: "string" } } };
  const handler = (/** @type {{ text: string }} */ { text }) => text;
  return {
    model: "m",
    onPermissionRequest: approveAll,
    tools: [{ name: "echo", description: "Says it again", parameters, skipPermission: true, handler }],
    provider: { type: "openai", wireApi: "completions", baseUrl: model.url, apiKey: "k" },
  };
}

/** @typedef {{ echo: number, ask: number, turn: number, many: number }} Round Milliseconds of CPU, each of one. */

/**
 * A program that is new is compiled while it is measured, by how much is chance, and a round of echoes takes 5 ms. So the median of
 * many rounds counts, of several generations of both programs, which have then done as many steps as echoes.
 * @param {Sdk} sdk
 * @param {Model} model
 * @param {string} home
 * @param {string} packages
 * @returns {Promise<readonly Row[]>}
 */
async function turnRows(sdk, model, home, packages) {
  /** @type {Round[][]} */
  const generations = [];
  while (generations.length < GENERATIONS) generations.push(await roundsOf(sdk, model, home, packages));
  const all = generations.flat();
  const [echo, ask, turn] = [middle(all, "echo"), middle(all, "ask"), middle(all, "turn")];
  const ratios = generations.map(ratioOf);
  const echoes = toRange(
    generations.map((rounds) => middle(rounds, "echo")),
    3,
  );
  const many = middle(all, "many");
  return [
    {
      name: `CPU of a step of a turn of ${STEPS}, less a bare request to its model, against a bare echo`,
      measured: `${turn.toFixed(2)} ms − ${ask.toFixed(2)} ms, echo ${echo.toFixed(3)} ms; ${GENERATIONS} generations with ${toRange(ratios, 1)}, echo ${echoes}`,
      ratio: ratioOf(all),
      limit: 8,
    },
    {
      name: `CPU of one of ${CALLS} calls at once, in units of 1 ms`,
      measured: `${many.toFixed(2)} ms`,
      ratio: many,
      limit: 1,
    },
  ];
}

/** @param {readonly Round[]} rounds @param {keyof Round} of */
function middle(rounds, of) {
  return median(rounds.map((one) => one[of]));
}

/** @param {readonly Round[]} rounds */
function ratioOf(rounds) {
  return (middle(rounds, "turn") - middle(rounds, "ask")) / middle(rounds, "echo");
}

/**
 * One runtime and one bare program, measured in turns.
 * @param {Sdk} sdk
 * @param {Model} model
 * @param {string} home
 * @param {string} packages
 */
async function roundsOf(sdk, model, home, packages) {
  const client = new sdk.CopilotClient({ env: { ...process.env, COPILOT_HOME: home } });
  const peer = startPeer(packages);
  /** @type {Round[]} */
  const rounds = [];
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    const session = await client.createSession(toSession(sdk, model));
    model.bodies.length = 0;
    const turn = await cpuOf(runtimeCpu, () => session.sendAndWait({ prompt: `${STEPS} 1` }, 600_000));
    const bodies = model.bodies.slice(0, STEPS);
    const many = await cpuOf(runtimeCpu, () => session.sendAndWait({ prompt: `1 ${CALLS}` }, 600_000));
    const echo = await cpuOf(peer.cpu, async () => {
      for (let count = 0; count < STEPS; count += 1) await peer.request("echo", { toolName: "echo", text: "hi" });
    });
    const all = await cpuOf(peer.cpu, async () => {
      for (const body of bodies) await peer.request("ask", { url: `${model.url}/chat/completions`, body });
    });
    // What is asked reaches the peer by a request like the others.
    rounds.push({ echo: echo / STEPS, ask: (all - echo) / STEPS, turn: turn / STEPS, many: many / CALLS });
    await session.disconnect();
  }
  peer.stop();
  await client.stop();
  return rounds.slice(WARM_UP);
}

/**
 * @param {Sdk} sdk
 * @param {Model} model
 * @param {string} home
 * @returns {Promise<Row>}
 */
async function createRow(sdk, model, home) {
  /** @type {{ first: number, second: number }[]} */
  const starts = [];
  for (let start = 0; start < STARTS; start += 1) {
    const client = new sdk.CopilotClient({ env: { ...process.env, COPILOT_HOME: home } });
    await client.start();
    const create = () => cpuOf(runtimeCpu, () => client.createSession(toSession(sdk, model)));
    starts.push({ first: await create(), second: await create() });
    await client.stop();
  }
  const [first, second] = [median(starts.map((one) => one.first)), median(starts.map((one) => one.second))];
  // What else the machine does changes from start to start, and hardly within one.
  const ratios = starts.map((one) => one.first / one.second).sort((a, b) => a - b);
  const quarters = toRange([ratios[STARTS >> 2] ?? 0, ratios[STARTS - 1 - (STARTS >> 2)] ?? 0], 2);
  const measured = `${first.toFixed(0)} ms, the second ${second.toFixed(0)} ms; ${STARTS} starts, half of them with ${quarters}`;
  return { name: "CPU of the first createSession, against the second", measured, ratio: median(ratios), limit: 2 };
}

/** @param {readonly number[]} values @param {number} digits */
function toRange(values, digits) {
  return `${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)}`;
}

/** Milliseconds that the runtimes of this process have used so far. */
function runtimeCpu() {
  return cpuOfTree(process.pid, (argv) => !argv.includes(CLI)).own;
}

/** @param {() => number} used @param {() => Promise<unknown>} work */
async function cpuOf(used, work) {
  const before = used();
  await work();
  return used() - before;
}

/** @param {string} packages */
function startPeer(packages) {
  const beside = join(packages, "beside.js");
  const child = spawn(process.execPath, [PEER, beside], { stdio: ["pipe", "pipe", "inherit"] });
  const { createMessageConnection, StreamMessageReader, StreamMessageWriter } =
    createRequire(beside)("vscode-jsonrpc/node");
  const peer = createMessageConnection(new StreamMessageReader(child.stdout), new StreamMessageWriter(child.stdin));
  peer.listen();
  return {
    request: (/** @type {string} */ method, /** @type {object} */ params) => peer.sendRequest(method, params),
    cpu: () => cpuOfTree(child.pid ?? 0, () => false).whole,
    stop: () => void child.kill(),
  };
}
