// What an install costs: packages and bytes on disk, and the way from a start as `npx` does it to the first tool listed.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { packCheckout, tryTarball } from "../scripts/smoke-tarball.mjs";
import { median } from "./measure.mjs";
import { cpuOfEnded } from "./process-tree.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const ROUNDS = 9;
const MOST_MB = 16;
// Whatever it needs ships inside.
const MOST_PACKAGES = 1;
/** Seconds; half of them are for 14 MB that are compressed. */
const MOST_PACKING = 8;

export async function run() {
  const place = mkdtempSync(join(tmpdir(), "toolcrib-install-"));
  try {
    packCheckout(ROOT, join(place, "built"));
    const before = cpuOfEnded(process.pid);
    const tarball = packCheckout(ROOT, join(place, "packed"));
    const packing = (cpuOfEnded(process.pid) - before) / 1_000;
    tryTarball(tarball, place);
    const project = join(place, "project");
    const modules = join(project, "node_modules");
    const bytes = diskBytes(modules);
    const packages = Object.keys(JSON.parse(readFileSync(join(modules, ".package-lock.json"), "utf8")).packages).length;
    const bin = join(modules, ".bin", "toolcrib");
    // In turns, so that what else the machine does disturbs both alike.
    const { first: listing, second: bare } = timeInTurns(
      () => start(bin, ["list", "--world", "world.json"], project),
      () => start(process.execPath, ["-e", "0"], project),
    );
    const connecting = await timeConnect(bin, project);
    const mb = bytes / 2 ** 20;
    return [
      {
        name: `installed size, in units of ${MOST_MB} MB`,
        measured: `${mb.toFixed(1)} MB`,
        ratio: mb / MOST_MB,
        limit: 1,
      },
      {
        name: `packages, in units of ${MOST_PACKAGES}`,
        measured: String(packages),
        ratio: packages / MOST_PACKAGES,
        limit: 1,
      },
      {
        name: `CPU of \`npm pack\` in a checkout that is built, in units of ${MOST_PACKING} s`,
        measured: `${packing.toFixed(1)} s`,
        ratio: packing / MOST_PACKING,
        limit: 1,
      },
      {
        name: "from the start of the installed command to the first tool listed, against `node -e 0`",
        measured: `${listing.toFixed(0)} ms against ${bare.toFixed(0)} ms`,
        ratio: listing / bare,
        limit: 4,
      },
      {
        name: "from the start of `connect`, with nothing running, to the tools of a client's first list, in units of 3 s",
        measured: `${connecting.toFixed(0)} ms`,
        ratio: connecting / 3_000,
        limit: 1,
      },
    ];
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/**
 * A client's way: start the command, say hello, ask for tools. Each round begins with nothing running.
 * @param {string} bin
 * @param {string} cwd
 */
async function timeConnect(bin, cwd) {
  const times = [];
  for (let round = 0; round < ROUNDS; round++) {
    const from = performance.now();
    await listOnce(bin, cwd);
    times.push(performance.now() - from);
    start(bin, ["down", "--all"], cwd);
  }
  return median(times);
}

/**
 * @param {string} bin
 * @param {string} cwd
 * @returns {Promise<void>}
 */
function listOnce(bin, cwd) {
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1" } };
  const child = spawn(bin, ["connect"], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd },
    stdio: ["pipe", "pipe", "ignore"],
  });
  /** @param {object} message */
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  send({ id: 1, method: "initialize", params });
  return new Promise((resolve, reject) => {
    child.on("close", (status) => reject(new Error(`connect ended with ${status} before it had listed a tool`)));
    createInterface({ input: child.stdout }).on("line", (line) => {
      const { id, result } = JSON.parse(line);
      if (id === 1) {
        send({ method: "notifications/initialized" });
        send({ id: 2, method: "tools/list" });
      }
      if (id !== 2) return;
      if (result.tools.length === 0) reject(new Error("connect listed no tool"));
      child.stdin.end();
      resolve();
    });
  });
}

/**
 * @param {() => void} one
 * @param {() => void} other
 */
function timeInTurns(one, other) {
  /** @param {() => void} act */
  const time = (act) => {
    const from = performance.now();
    act();
    return performance.now() - from;
  };
  const rounds = Array.from({ length: ROUNDS }, () => ({ first: time(one), second: time(other) }));
  return { first: median(rounds.map(({ first }) => first)), second: median(rounds.map(({ second }) => second)) };
}

/**
 * @param {string} command
 * @param {readonly string[]} argv
 * @param {string} cwd
 */
function start(command, argv, cwd) {
  const { status, stderr } = spawnSync(command, argv, {
    cwd,
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: cwd },
  });
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr}`);
}

/**
 * Blocks that files and folders take, as `du` counts them.
 * @param {string} folder
 */
function diskBytes(folder) {
  if (!existsSync(folder)) return 0;
  let bytes = 0;
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const found = statSync(join(folder, path), { throwIfNoEntry: false });
    if (found !== undefined) bytes += (found.blocks ?? Math.ceil(found.size / 512)) * 512;
  }
  return bytes;
}
