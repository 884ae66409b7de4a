import { constants } from "node:fs";
import { open, realpath, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout } from "node:timers/promises";
import { errnoOf } from "../paths/path-refusal.ts";
import { isAlive } from "../process/is-alive.ts";
import { toNotWritten } from "./write-whole.ts";

const PATIENCE = 15_000;
const BETWEEN = 15;
/** Milliseconds in which any change is done. An older mark is stale, even if another process has the same id by now. */
const LEFT_BEHIND = 60_000;

interface Waiting {
  /** Milliseconds to wait before doing the work without a mark. */
  readonly patience?: number;
  /** With it, the work needs the mark: it waits as long as necessary, or until this is aborted. */
  readonly signal?: AbortSignal;
}

/**
 * Reads, changes and writes a file while no other process does, so that no concurrent change is lost. A mark beside the
 * file is the lock. The mark of a process that has ended is ignored, and by default the wait is short, because anybody
 * may have put the mark there.
 */
export async function oneAtATime<T>(path: string, work: () => Promise<T>, waiting: Waiting = {}): Promise<T> {
  const mark = `${await realpath(path).catch(() => path)}.busy`;
  const isOurs = await take(mark, waiting);
  try {
    return await work();
  } finally {
    if (isOurs) await rm(mark, { force: true }).catch(() => undefined);
  }
}

async function take(mark: string, { signal, patience = signal ? Number.POSITIVE_INFINITY : PATIENCE }: Waiting) {
  const pause = () => setTimeout(BETWEEN, undefined, signal ? { signal } : {});
  for (const end = performance.now() + patience; performance.now() < end; await pause()) {
    try {
      if (await put(mark)) return true;
    } catch (error) {
      if (signal) throw toNotWritten(mark, error);
      // If no mark can be put, the file cannot be written either, and that is reported then.
      return false;
    }
    if (await readMark(mark).then(isStale, () => false)) await clear(mark).catch(() => undefined);
  }
  return false;
}

/**
 * Takes a claim and checks again: of several processes that find the same stale mark, all but one would otherwise
 * remove the new mark of the first.
 */
async function clear(mark: string): Promise<void> {
  const claim = `${mark}.clearing`;
  if (!(await put(claim))) {
    if ((await readMark(claim)).age > LEFT_BEHIND) await rm(claim, { force: true });
    return;
  }
  try {
    if (isStale(await readMark(mark))) await rm(mark, { force: true });
  } finally {
    await rm(claim, { force: true });
  }
}

/** False if there is one already. */
async function put(mark: string): Promise<boolean> {
  try {
    await writeFile(mark, `${process.pid}@${hostname()}\n`, { flag: "wx" });
    return true;
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return false;
    throw error;
  }
}

interface Mark {
  readonly text: string;
  /** Milliseconds since it was put there. */
  readonly age: number;
}

/** A mark that is just being written is empty; a mark of another machine cannot be checked here. */
function isStale({ text, age }: Mark): boolean {
  const [pid, host] = text.trim().split("@");
  const owner = host === hostname() ? Number(pid) : 0;
  return age > LEFT_BEHIND || (owner > 0 && !isAlive(owner));
}

/** Maximum bytes of a mark. */
const LONGEST = 512;

/** A link may lead to an endless file, and a pipe would block its reader. */
async function readMark(mark: string): Promise<Mark> {
  const handle = await open(mark, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const { mtimeMs } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(LONGEST), 0, LONGEST, 0);
    return { text: buffer.toString("utf8", 0, bytesRead), age: Date.now() - mtimeMs };
  } finally {
    await handle.close();
  }
}
