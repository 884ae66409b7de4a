import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** @type {Set<() => unknown>} */
const tasks = new Set();

/**
 * Has something done when this process ends, also when somebody ends it before its time.
 * @param {() => unknown} task
 */
export function atEnd(task) {
  tasks.add(task);
}

/** Does all of that, what came last first. */
export async function tidyUp() {
  for (const task of [...tasks].reverse()) {
    tasks.delete(task);
    try {
      await task();
    } catch (error) {
      // The others are to be done all the same.
      console.error(error);
    }
  }
}

/** A folder that is gone at the end. */
export function ownFolder() {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-curves-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * A program that ends when nobody talks with it any more, and has ended at the end.
 * @param {string} script
 * @param {readonly string[]} args
 * @param {Record<string, string>} [env]
 */
export function startBeside(script, args, env = {}) {
  // Without this process's own flags.
  const child = fork(script, args, { execArgv: [], env: { ...process.env, ...env } });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const end = async () => {
    if (child.connected) child.disconnect();
    await ended;
  };
  atEnd(end);
  return { child, end };
}
