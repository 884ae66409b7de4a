import { constants } from "node:fs";
import { open, realpath, rm, writeFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";

const PATIENCE = 15_000;
const BETWEEN = 15;

/**
 * Reads, changes and writes a file while no other process does: what two of them changed at the same time would be lost
 * for one. A mark beside the file says so. One whose process is gone counts for nothing, and nobody waits for long,
 * because anybody may have put it there.
 */
export async function oneAtATime<T>(path: string, work: () => Promise<T>, patience = PATIENCE): Promise<T> {
  const mark = `${await realpath(path).catch(() => path)}.busy`;
  const isOurs = await take(mark, patience);
  try {
    return await work();
  } finally {
    if (isOurs) await rm(mark, { force: true }).catch(() => undefined);
  }
}

async function take(mark: string, patience: number): Promise<boolean> {
  for (const end = performance.now() + patience; performance.now() < end; await setTimeout(BETWEEN)) {
    try {
      await writeFile(mark, `${process.pid}\n`, { flag: "wx" });
      return true;
    } catch (error) {
      // Where no mark can be put, the file cannot be written either, and that is told then.
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) return false;
    }
    const owner = Number(await readMark(mark).catch(() => ""));
    // One that is just being written is empty, and its owner not known yet.
    if (owner > 0 && !isAlive(owner)) await rm(mark, { force: true }).catch(() => undefined);
  }
  return false;
}

/** A link may lead to what has no end, and a pipe would keep its reader waiting. */
async function readMark(mark: string): Promise<string> {
  const handle = await open(mark, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(32), 0, 32, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
