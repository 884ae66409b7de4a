import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { isRecord } from "../../../core/shape/is-record.ts";
import { parseJson } from "../../../core/shape/parse-json.ts";
import { oneAtATime } from "../../../system/files/one-at-a-time.ts";
import { isAlive } from "../../../system/process/is-alive.ts";
import { readProcess } from "../../../system/process/process-group.ts";
import { type NotePlaces, notesFolder, readRunningNote } from "./running-note.ts";

/** Milliseconds in which a process that has the lock begins to listen. */
const STARTING = 60_000;

/**
 * Makes this the one process of a workspace; returns how to give that back, or null when another one is. One that was
 * killed holds nothing, also where another program has its number by now.
 */
export async function takeLock(places: NotePlaces, key: string): Promise<(() => Promise<void>) | null> {
  const path = join(notesFolder(places), `${key}.lock`);
  await mkdir(notesFolder(places), { recursive: true, mode: 0o700 });
  return oneAtATime(path, async () => {
    const holder = await readHolder(path);
    if (holder !== null && (await isHeld(holder, places, key))) return null;
    const own = JSON.stringify({ pid: process.pid, since: Date.now(), born: bornAt(process.pid) });
    await writeFile(path, `${own}\n`, { mode: 0o600 });
    return async () => {
      if ((await readHolder(path))?.pid === process.pid) await rm(path, { force: true }).catch(() => undefined);
    };
  });
}

export async function isLocked(places: NotePlaces, key: string): Promise<boolean> {
  const holder = await readHolder(join(notesFolder(places), `${key}.lock`));
  return holder !== null && isHeld(holder, places, key);
}

interface Holder {
  readonly pid: number;
  readonly since: number;
  /** When its process began, as the system counts; null where the system does not say. */
  readonly born: string | null;
}

async function isHeld({ pid, since, born }: Holder, places: NotePlaces, key: string): Promise<boolean> {
  if (!isAlive(pid) || (born !== null && born !== bornAt(pid))) return false;
  // Where the system does not say when a process began, its own number is one that was given out again.
  if (born === null && pid === process.pid) return false;
  if (Date.now() - since < STARTING) return true;
  const note = await readRunningNote(places, key);
  return note !== null && note.pid === pid && (await canReach(note.socket));
}

function canReach(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("error", () => resolve(false));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
}

/** Null where the system does not say, and for one that has ended and is only waiting to be taken note of. */
function bornAt(pid: number): string | null {
  const found = readProcess(pid);
  return found === null || found.state === "Z" || found.state === "X" ? null : found.started;
}

async function readHolder(path: string): Promise<Holder | null> {
  const value = parseJson(await readFile(path, "utf8").catch(() => ""));
  const { pid, since, born } = isRecord(value) ? value : {};
  if (typeof pid !== "number" || typeof since !== "number") return null;
  return { pid, since, born: typeof born === "string" ? born : null };
}
