import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stateFolder } from "../../config/state-folder.ts";

type Places = Parameters<typeof stateFolder>[0];

/** A running `toolcrib up`, as other commands find it. Its token is not among this: they know it the way it does. */
export interface RunningUp {
  readonly pid: number;
  readonly workspace: string;
  /** Where its API answers. */
  readonly origin: string;
  readonly started: number;
}

/** Notes that this process serves the workspace; returns how to take that back. It is no failure when that cannot be kept. */
export async function noteRunning(places: Places, { workspace, origin }: Pick<RunningUp, "workspace" | "origin">) {
  const folder = join(stateFolder(places), "running");
  const path = join(folder, `${keyOf(workspace)}-${process.pid}.json`);
  const running: RunningUp = { pid: process.pid, workspace, origin, started: Date.now() };
  const beside = `${path}.${randomUUID()}.new`;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(beside, `${JSON.stringify(running)}\n`, { mode: 0o600, flag: "wx" });
    await rename(beside, path);
  } catch {
    await rm(beside, { force: true }).catch(() => undefined);
  }
  return () => rm(path, { force: true }).catch(() => undefined);
}

/** The newest that runs for the workspace. What was left behind by one that was killed is cleared away. */
export async function findRunning(places: Places, workspace: string): Promise<RunningUp | null> {
  const folder = join(stateFolder(places), "running");
  const names = await readdir(folder).catch(() => []);
  const found: RunningUp[] = [];
  for (const name of names) {
    const [, key, pid] = /^([0-9a-f]{32})-(\d+)\.json$/.exec(name) ?? [];
    if (key !== keyOf(workspace)) continue;
    const running = isAlive(Number(pid)) ? await readRunning(join(folder, name)) : null;
    if (running === null) await rm(join(folder, name), { force: true }).catch(() => undefined);
    else if (running.workspace === workspace && running.pid === Number(pid)) found.push(running);
  }
  return found.sort((a, b) => b.started - a.started)[0] ?? null;
}

function keyOf(workspace: string): string {
  return createHash("sha256").update(workspace).digest("hex").slice(0, 32);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function readRunning(path: string): Promise<RunningUp | null> {
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    if (typeof value !== "object" || value === null) return null;
    const { pid, workspace, origin, started } = value as Partial<Record<keyof RunningUp, unknown>>; // Each is checked.
    if (typeof pid !== "number" || typeof workspace !== "string" || typeof started !== "number") return null;
    if (typeof origin !== "string" || !/^http:\/\/[^/?#@\s]+$/.test(origin)) return null;
    return { pid, workspace, origin, started };
  } catch {
    return null;
  }
}
