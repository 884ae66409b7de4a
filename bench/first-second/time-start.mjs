import { spawn } from "node:child_process";
import { setTimeout as pass } from "node:timers/promises";
import { cpuOfEnded, isRunning, processesBelow } from "../process-tree.mjs";
import { isServer } from "./servers.mjs";

const PATIENCE = 60_000;
const LOOK_EVERY = 100;
const TOO_LATE = Symbol("too late");

/** What a way to start used until it got there, in milliseconds. @typedef {{ wall: number, own: number, servers: number, npm: number }} Used */

/**
 * Starts something, and ends it and all that it started once it got there.
 * @param {import("./ways.mjs").Start} way
 * @param {{ cwd: string, env: Record<string, string> }} place
 * @param {number} [lasting] milliseconds that it goes on for then
 * @returns {Promise<Used>}
 */
export async function timeStart({ command, args, cwd, reached }, place, lasting = 0) {
  const from = performance.now();
  const child = spawn(command, args, {
    ...place,
    ...(cwd === undefined ? {} : { cwd }),
    stdio: ["pipe", "pipe", "ignore"],
  });
  const { pid = 0 } = child;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  /** What servers used, also those that have ended meanwhile. @type {Map<number, number>} */
  const servers = new Map();
  const look = () => {
    const processes = processesBelow(pid);
    for (const { argv, pid, used } of processes) if (isServer(argv)) servers.set(pid, used);
    return processes;
  };
  const looking = setInterval(look, LOOK_EVERY);
  const end = await Promise.race([
    reached(child),
    ended.then(() => TOO_LATE),
    pass(PATIENCE, TOO_LATE, { ref: false }),
  ]);
  const wall = performance.now() - from;
  clearInterval(looking);
  const processes = look();
  const used = { wall, own: 0, servers: 0, npm: 0 };
  for (const one of processes) {
    if (isNpm(one.argv)) used.npm += one.used;
    else if (!isServer(one.argv)) used.own += one.used + cpuOfEnded(one.pid);
  }
  for (const [server, cpu] of servers) {
    used.servers += cpu;
    // Who waited for its end has it among its own.
    if (processes.every((one) => one.pid !== server)) used.own -= cpu;
  }
  await Promise.race([pass(lasting), ended]);
  await endAll(processes.map((one) => one.pid));
  await ended;
  if (end === TOO_LATE) throw new Error(`${command} ${args.join(" ")} did not get there`);
  return used;
}

/** npm writes its own name over its arguments. @param {readonly string[]} argv */
function isNpm([name = ""]) {
  return name.startsWith("npm ");
}

/** Politely at first, so that nothing is left for the next to clean up. @param {readonly number[]} pids */
async function endAll(pids) {
  for (const signal of /** @type {const} */ (["SIGTERM", "SIGKILL"])) {
    for (const pid of pids.filter(isRunning)) process.kill(pid, signal);
    for (let rounds = 0; rounds < 150 && pids.some(isRunning); rounds++) await pass(20);
  }
}
