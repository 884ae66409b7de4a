// Starts a program in a group of its own, for a bounded time. Whatever it starts ends with it.
import { spawn } from "node:child_process";

/** @typedef {{ status: number | null, out: string, err: string, late: boolean, took: number }} Ended */

/**
 * @param {readonly string[]} command
 * @param {{ cwd: string, env: NodeJS.ProcessEnv, patience: number, signal: AbortSignal }} options
 * @returns {Promise<Ended>}
 */
export function start([program = "", ...args], { cwd, env, patience, signal }) {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const from = performance.now();
    const child = spawn(program, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    let [out, err, late] = ["", "", false];
    const end = () => endGroup(child.pid);
    const timer = setTimeout(() => {
      late = true;
      end();
    }, patience);
    signal.addEventListener("abort", end);
    child.stdout.setEncoding("utf8").on("data", (text) => {
      out += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text) => {
      err += text;
    });
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      // What it left in its group holds the pipes open.
      end();
    };
    child.once("exit", settle);
    child.once("error", (error) => {
      settle();
      reject(error);
    });
    child.once("close", (status) => resolve({ status, out, err, late, took: performance.now() - from }));
  });
}

/** @param {number | undefined} pid */
function endGroup(pid) {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing of the group is left.
  }
}
