import { spawn } from "node:child_process";
import { mkdir, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { FAMILY } from "../../../system/process/watcher.ts";
import { type Reached, reach } from "./find-running.ts";
import type { LocalRequest } from "./local-call.ts";
import { BIN } from "./own-program.ts";
import { type NotePlaces, notesFolder } from "./running-note.ts";
import { isLocked } from "./workspace-lock.ts";

export interface DetachedStart {
  readonly places: NotePlaces;
  readonly key: string;
  /** The workspace, where it is started. */
  readonly cwd: string;
  /** Behind `up`. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Reading configuration and opening the socket; servers start behind it. */
const PATIENCE = 60_000;
const BETWEEN = 25;

/** Where one in the background leaves what it would say on a terminal. */
function logPath(places: NotePlaces, key: string): string {
  return join(notesFolder(places), `${key}.log`);
}

/**
 * Asks the Toolcrib of a workspace, and starts it in the background where none runs. Of several that start at once one
 * gets the workspace, and all of them ask that one. Throws `up.not-started` with what it said.
 */
export async function reachOrStart<T>(start: DetachedStart, request: LocalRequest): Promise<Reached<T>> {
  const { places, key } = start;
  const found = await reach<T>(places, key, request);
  if (found !== null) return found;
  let child = await spawnDetached(start);
  for (const end = performance.now() + PATIENCE; performance.now() < end; ) {
    const hadEnded = child.hasEnded();
    const reached = await reach<T>(places, key, request);
    if (reached !== null) return reached;
    // Another one may have been first and be about to listen; a real failure shows in what was said.
    const failure = hadEnded ? await child.said() : null;
    if (failure !== null && !failure.includes(BEATEN)) throw notStarted(failure);
    if (failure !== null && !(await isLocked(places, key))) child = await spawnDetached(start);
    await pass(BETWEEN);
  }
  const silence = `it has not answered for ${PATIENCE / 1000} seconds`;
  throw notStarted(
    (await child.said()) ||
      (child.hasEnded() ? silence : `${silence}, and may still be starting; "toolcrib status" says whether it runs`),
  );
}

/** How one that came second says so. */
const BEATEN = "already, ";

function notStarted(text: string): ToolcribError {
  const said = text.replace(/^toolcrib: /gm, "").trim() || "it ended at once and said nothing; is its folder there?";
  return new ToolcribError("up.not-started", `Toolcrib could not be started in the background: ${said}`);
}

async function spawnDetached({ places, key, cwd, argv, env }: DetachedStart) {
  const path = logPath(places, key);
  await mkdir(notesFolder(places), { recursive: true, mode: 0o700 });
  // Several may start at once, and each has to know what its own said.
  const log = await open(path, "a", 0o600);
  const { size } = await log.stat();
  const child = spawn(process.execPath, [BIN, "up", ...argv], {
    // It belongs to no other process: not even to a Toolcrib that runs the one that starts it.
    ...{ cwd, env: { ...env, [FAMILY]: undefined }, detached: true, windowsHide: true },
    // What it prints about itself holds its token.
    stdio: ["ignore", "ignore", log.fd],
  });
  let ended = false;
  child.once("exit", () => {
    ended = true;
  });
  child.once("error", () => {
    ended = true;
  });
  child.unref();
  await log.close();
  return {
    hasEnded: () => ended,
    said: async (): Promise<string> => (await readFile(path, "utf8").catch(() => "")).slice(size).slice(-2_000),
  };
}
