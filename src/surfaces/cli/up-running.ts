import { createHash, createHmac, randomBytes, randomUUID } from "node:crypto";
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
  /** What only that process and whoever may read its note know. */
  readonly secret: string;
}

/** Notes that this process serves the workspace; returns how to take that back. It is no failure when that cannot be kept. */
export async function noteRunning(places: Places, noted: Pick<RunningUp, "workspace" | "origin" | "secret">) {
  const folder = join(stateFolder(places), "running");
  const path = join(folder, `${keyOf(noted.workspace)}-${process.pid}.json`);
  const running: RunningUp = { pid: process.pid, ...noted, started: Date.now() };
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

/** What a process answers a challenge with, to show that it is the one that made the note. */
export function createProof(secret: string): (challenge: string) => string {
  return (challenge) => createHmac("sha256", secret).update(challenge).digest("hex");
}

export interface FoundUp {
  readonly up: RunningUp;
  /** It is the one that made the note. False: something listens there, and says nothing. */
  readonly answers: boolean;
}

/**
 * The newest that runs for the workspace. What was left behind by one that was killed is cleared away, also where another
 * program has its process id or its port by now: no token is ever sent to whoever cannot show that the note is theirs.
 */
export async function findRunning(places: Places, workspace: string): Promise<FoundUp | null> {
  const folder = join(stateFolder(places), "running");
  const names = await readdir(folder).catch(() => []);
  const noted: { readonly path: string; readonly up: RunningUp }[] = [];
  const clear = (path: string) => rm(path, { force: true }).catch(() => undefined);
  for (const name of names) {
    const [, key, pid] = /^([0-9a-f]{32})-(\d+)\.json$/.exec(name) ?? [];
    if (key !== keyOf(workspace)) continue;
    const path = join(folder, name);
    const up = isAlive(Number(pid)) ? await readRunning(path) : null;
    if (up === null) await clear(path);
    else if (up.workspace === workspace && up.pid === Number(pid)) noted.push({ path, up });
  }
  for (const { path, up } of noted.sort((a, b) => b.up.started - a.up.started)) {
    const who = await askWho(up);
    if (who !== "somebody else") return { up, answers: who === "itself" };
    await clear(path);
  }
  return null;
}

const PATIENCE = 10_000;

async function askWho({ origin, secret }: RunningUp): Promise<"itself" | "somebody else" | "silent"> {
  const challenge = randomBytes(32).toString("hex");
  try {
    const signal = AbortSignal.timeout(PATIENCE);
    const answer = await fetch(`${origin}/healthz?challenge=${challenge}`, { redirect: "error", signal });
    const said: unknown = await answer.json();
    const proof: unknown = typeof said === "object" && said !== null && "proof" in said ? said.proof : null;
    return proof === createProof(secret)(challenge) ? "itself" : "somebody else";
  } catch (error) {
    return error instanceof Error && error.name === "TimeoutError" ? "silent" : "somebody else";
  }
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
    const { pid, workspace, origin, started, secret } = value as Partial<Record<keyof RunningUp, unknown>>; // Each is checked.
    if (typeof pid !== "number" || typeof workspace !== "string" || typeof started !== "number") return null;
    if (typeof origin !== "string" || !/^http:\/\/[^/?#@\s]+$/.test(origin)) return null;
    if (typeof secret !== "string" || !/^[0-9a-f]{64}$/.test(secret)) return null;
    return { pid, workspace, origin, started, secret };
  } catch {
    return null;
  }
}
