import { spawn } from "node:child_process";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { median } from "../measure.mjs";

/**
 * @typedef {import("./curve.mjs").Curve} Curve
 * @typedef {import("./curve.mjs").Measured} Measured
 * @typedef {import("./curve.mjs").MeasuredCurve} MeasuredCurve
 */

const POINT = fileURLToPath(new URL("./measure-point.mjs", import.meta.url));
const ROUNDS = 3;
const PATIENCE_MS = 15 * 60_000;
/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();

let isEnding = false;

/** Ends what is measured at the moment; it leaves nothing behind. */
export async function endMeasuring() {
  isEnding = true;
  await Promise.all([...running].map(end));
}

/** @param {import("node:child_process").ChildProcess} child */
async function end(child) {
  child.kill("SIGUSR2");
  await new Promise((resolve) => child.once("exit", resolve));
}

/**
 * Every size in processes of its own. All sizes take turns in each round, so that what disturbs the machine for a while
 * does not look like growth.
 * @param {Curve} curve
 * @param {boolean} isQuick
 * @returns {Promise<MeasuredCurve>}
 */
export async function measureCurve({ name, title, unit, what, lines, memory, counts, ...curve }, isQuick) {
  const sizes = curve.sizes.filter((size) => !isQuick || size <= (curve.quick ?? size));
  /** @type {Measured[][]} */
  const rounds = [];
  const many = isQuick ? 1 : (curve.rounds ?? ROUNDS);
  for (let round = 0; round < many; round++) {
    const measured = [];
    for (const size of sizes) {
      const start = performance.now();
      measured.push(await measurePoint(name, size));
      const seconds = Math.round((performance.now() - start) / 1000);
      process.stderr.write(`${name}: round ${round + 1} of ${many}, ${size} ${unit}: ${seconds} s\n`);
    }
    rounds.push(measured);
  }
  const points = sizes.map((size, at) => {
    const all = rounds.flatMap((measured) => measured[at] ?? []);
    const cpu = Object.keys(lines).map((line) => [line, middle(all.map((one) => one.cpu[line]))]);
    const held = memory === undefined ? {} : { memory: middle(all.map((one) => one.memory)) };
    const counted = Object.keys(counts ?? {}).map((one) => [one, middle(all.map((point) => point.counts?.[one]))]);
    return {
      ...{ size, cpu: Object.fromEntries(cpu), ...held },
      ...(counts === undefined ? {} : { counts: Object.fromEntries(counted) }),
    };
  });
  const machine = `Node ${process.versions.node}, ${cpus().length} cores, ${process.platform} ${process.arch}`;
  const also = { ...(memory === undefined ? {} : { memory }), ...(counts === undefined ? {} : { counts }) };
  return { title, unit, what, lines, ...also, machine, points };
}

/** As many digits as repeat. @param {readonly (number | undefined)[]} values */
function middle(values) {
  const value = median(values.map((one) => one ?? Number.NaN));
  if (!Number.isFinite(value)) throw new Error("a figure is missing: measure() has to answer one for each line");
  return Number(value.toPrecision(4));
}

/** @param {string} name @param {number} size @returns {Promise<Measured>} */
async function measurePoint(name, size) {
  const child = spawn(process.execPath, ["--expose-gc", POINT, name, String(size)], {
    stdio: ["ignore", "pipe", "inherit"],
    timeout: PATIENCE_MS,
    // Ctrl-C is for this process, which then has the point tidy up.
    detached: true,
    // Node 20 reads such certificates at each start, which costs more than the start.
    env: { ...process.env, NODE_EXTRA_CA_CERTS: "" },
  });
  running.add(child);
  child.once("exit", () => running.delete(child));
  let text = "";
  for await (const part of child.stdout.setEncoding("utf8")) text += part;
  const [code, signal] = await new Promise((resolve) =>
    child.exitCode === null && child.signalCode === null
      ? child.once("exit", (...ended) => resolve(ended))
      : resolve([child.exitCode, child.signalCode]),
  );
  if (isEnding) return new Promise(() => {});
  if (code !== 0) throw new Error(`${name} at ${size} ended with ${signal ?? `status ${code}`}`);
  return JSON.parse(text.trimEnd().split("\n").at(-1) ?? "");
}
