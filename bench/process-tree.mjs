import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** Ticks of /proc/PID/stat in a second; 100 on every Linux that Node runs on. */
const TICKS = 100;

/**
 * Starts a program in a group of its own, so that nothing of it is left behind.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: Record<string, string> }} [place]
 */
export function startTree(command, args, { cwd, env = {} } = {}) {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "ignore"],
    detached: true,
  });
  const pid = child.pid ?? 0;
  return {
    pid,
    end: () =>
      new Promise((resolve) => {
        child.once("exit", resolve);
        try {
          process.kill(-pid, "SIGKILL");
        } catch {
          resolve(null);
        }
      }),
  };
}

/**
 * CPU milliseconds that a process and all below it have used so far. Zero where there is no /proc.
 * @param {number} root
 */
export function cpuOfTree(root) {
  const parents = new Map();
  const used = new Map();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const fields = readStat(name);
    if (fields === null) continue;
    parents.set(Number(name), Number(fields[1]));
    used.set(Number(name), Number(fields[11]) + Number(fields[12]));
  }
  let ticks = 0;
  for (const pid of used.keys()) if (isBelow(pid, root, parents)) ticks += used.get(pid);
  return (ticks * 1000) / TICKS;
}

/**
 * What follows the command's name, which may hold anything.
 * @param {string} pid
 */
function readStat(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return null;
  }
}

/**
 * @param {number} pid
 * @param {number} root
 * @param {Map<number, number>} parents
 */
function isBelow(pid, root, parents) {
  for (let at = pid; at > 1; at = parents.get(at) ?? 0) if (at === root) return true;
  return false;
}
