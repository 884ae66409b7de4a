import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

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
 * CPU milliseconds that a process and all below it have used so far, and the part of those that are not left out.
 * Zero where there is no /proc.
 * @param {number} root
 * @param {(argv: readonly string[]) => boolean} leavesOut
 */
export function cpuOfTree(root, leavesOut) {
  let whole = 0;
  let own = 0;
  for (const { argv, used } of processesBelow(root)) {
    whole += used;
    if (!leavesOut(argv)) own += used;
  }
  return { whole, own };
}

/**
 * A process and all below it, each with the CPU milliseconds that it has used so far. None where there is no /proc.
 * @param {number} root
 */
export function processesBelow(root) {
  const parents = new Map(
    list("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => [Number(pid), parentOf(pid)]),
  );
  return [...parents.keys()]
    .filter((pid) => isBelow(pid, root, parents))
    .map((pid) => ({ pid, argv: argvOf(pid), used: cpuOfProcess(pid) }));
}

/**
 * CPU milliseconds of what ended below a process and was waited for, to ten of them.
 * @param {number} pid
 */
export function cpuOfEnded(pid) {
  const [, , , , , , , , , , , , , user, system] = statOf(pid);
  return (Number(user) + Number(system)) * 10;
}

/**
 * CPU milliseconds of all threads of a process, to the nanosecond.
 * @param {number} pid
 */
export function cpuOfProcess(pid) {
  let used = 0;
  for (const thread of list(`/proc/${pid}/task`))
    used += Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(" ")[0]);
  return used / 1e6;
}

/**
 * Not one that has ended and for which nobody has waited yet.
 * @param {number} pid
 */
export function isRunning(pid) {
  const [state = ""] = statOf(pid);
  return state !== "" && state !== "Z";
}

/** @param {string} pid */
function parentOf(pid) {
  return Number(statOf(pid)[1]);
}

/**
 * What follows the command's name, which may hold anything, begins with the state and the parent.
 * @param {string | number} pid
 */
function statOf(pid) {
  const text = read(`/proc/${pid}/stat`);
  return text === "" ? [] : text.slice(text.lastIndexOf(")") + 2).split(" ");
}

/** @param {number} pid */
function argvOf(pid) {
  return read(`/proc/${pid}/cmdline`).split("\0");
}

/**
 * Empty when the process is gone.
 * @param {string} path
 */
function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** @param {string} path */
function list(path) {
  try {
    return readdirSync(path);
  } catch {
    return [];
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
