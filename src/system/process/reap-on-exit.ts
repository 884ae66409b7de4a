import { spawnSync } from "node:child_process";
import { sep } from "node:path";
import { groupsBelow, signalGroup } from "./process-group.ts";
import { watchGroup } from "./watcher.ts";

const SIGNALS = ["SIGHUP", "SIGINT", "SIGTERM"] as const;

/** Milliseconds for the cleanup after a killed process. */
export const TIDYING = 20_000;

/** Processes that must not outlive this one, each with a cleanup command for when it was killed. */
const alive = new Map<number, readonly string[] | undefined>();

/** Ends the process and everything below it when this process exits or is killed; returns a function to undo it. */
export function reapOnExit(pid: number, tidy?: readonly string[]): () => void {
  if (alive.size === 0) listen();
  alive.set(pid, tidy);
  const unwatch = watchGroup(pid);
  return () => {
    unwatch();
    if (alive.delete(pid) && alive.size === 0) unlisten();
  };
}

/** Only synchronous work is possible here, so there is no grace. */
function reap(): void {
  for (const pid of alive.keys()) for (const group of groupsBelow(pid)) signalGroup(group, "SIGKILL");
  for (const [program, ...args] of [...alive.values()].map((tidy) => tidy ?? []))
    if (program !== undefined) spawnSync(program, args, { cwd: sep, env: {}, stdio: "ignore", timeout: TIDYING });
}

/**
 * Children lead their own groups, so a signal to this process does not reach them. If nobody else listens for it, the
 * signal ends this process as it would have without us; otherwise ending is up to that listener.
 */
function reapAndRaise(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  reap();
  unlisten();
  process.kill(process.pid, signal);
}

function listen(): void {
  process.on("exit", reap);
  for (const signal of SIGNALS) process.on(signal, reapAndRaise);
}

function unlisten(): void {
  process.off("exit", reap);
  for (const signal of SIGNALS) process.off(signal, reapAndRaise);
}
