import { type ChildProcess, spawn } from "node:child_process";
import { statSync } from "node:fs";
import { sep } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { onAbort } from "../time/until-aborted.ts";
import { isOnPath } from "./find-program.ts";
import { holdInput } from "./held-input.ts";
import { endGroups, type FindGroups, groupsMarked, isGroupAlive, isGroupBusy } from "./process-group.ts";
import { reapOnExit, TIDYING } from "./reap-on-exit.ts";
import { FAMILY, marked, nextMark, startWatcher } from "./watcher.ts";

export interface ProcessSpec {
  /** Program and arguments; not interpreted by a shell. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The whole environment; see `buildChildEnv`. */
  readonly env: Readonly<Record<string, string>>;
  /** `none` (default) gives the process an empty input, `pipe` makes `write` and `end` work. */
  readonly stdin?: "none" | "pipe";
  readonly onStdout: (chunk: Buffer) => void;
  readonly onStderr: (chunk: Buffer) => void;
  /** Milliseconds between SIGTERM and SIGKILL; 2,000 if absent. */
  readonly grace?: number;
  /**
   * What happens to processes left in its group when it exits by itself: ended with it (default), or kept as long as
   * this process runs. With `end-all`, processes that left the group end too, however it ends. With `free`, processes
   * that left the group are not tracked.
   */
  readonly leftovers?: "end" | "end-all" | "keep" | "free";
  /** Program and arguments to run if the process had to be killed, for cleanup it would have done itself. */
  readonly tidy?: readonly string[];
  /** Aborting it is the same as `kill`. */
  readonly signal?: AbortSignal;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ProcessHandle {
  readonly pid: number;
  /** The process itself has ended, and its output has been passed on. Never rejects. */
  readonly exited: Promise<ProcessExit>;
  /** The process and everything in its group have ended, and their output has been passed on. Never rejects. */
  readonly ended: Promise<void>;
  /**
   * Resolves once the process took the data, so that awaiting it bounds memory; rejects if it cannot. Data written in
   * one turn of the event loop is sent together, because every piece wakes the other process; `atOnce` sends it
   * immediately.
   */
  write(data: string | Uint8Array, atOnce?: boolean): Promise<void>;
  /** It no longer accepts input. */
  readonly isDeaf: boolean;
  /** Closes the input. */
  end(): void;
  /** Pause and resume reading the standard output; while paused, a process that writes has to wait. */
  pause(): void;
  resume(): void;
  /** Ends the process with everything it started: SIGTERM, then SIGKILL. Resolves when all is gone; idempotent. */
  kill(): Promise<void>;
}

const GRACE = 2_000;
/** How long output may still arrive after the end, if a grandchild holds the pipe open. */
const DRAIN = 100;
const DRAIN_ROUNDS = 10;
const FIRST_WATCH = 5;
const LAST_WATCH = 320;

/** Starts processes; passed as an argument, so that tests can replace it. */
export type SpawnProcess = (spec: ProcessSpec) => Promise<ProcessHandle>;

/** Starts a process in its own group. Rejects with `process.not-found` or `process.not-started`. */
export async function spawnProcess(spec: ProcessSpec): Promise<ProcessHandle> {
  spec.signal?.throwIfAborted();
  const [program, ...args] = spec.argv;
  if (program === undefined) throw new TypeError("argv is empty");
  const mark = nextMark();
  const child = await start(program, args, spec, mark);
  const pid = child.pid;
  if (pid === undefined) throw new TypeError("a process that has started has an id");
  const forget = reapOnExit(pid, spec.tidy);

  const { leftovers = "end" } = spec;
  const strays: FindGroups = async () => (leftovers === "end-all" ? groupsMarked(`${FAMILY}=${mark}`) : []);
  const exited = drained(child, pid);
  const closed = new Promise((resolve) => child.once("close", resolve));
  const killed = new AbortController();
  let killing: Promise<void> | null = null;
  /** From here on the id may belong to another process. */
  let over = false;
  const kill = () => {
    killed.abort();
    killing ??= (over ? Promise.resolve() : endGroups(pid, spec.grace ?? GRACE, strays)).then(async () => {
      // The last output is read before the pipes close.
      await exited;
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
    });
    return killing;
  };
  const unsubscribe = spec.signal === undefined ? () => {} : onAbort(spec.signal, () => void kill());

  const ended = exited.then(async ({ signal }) => {
    const isEnding = leftovers === "end" || leftovers === "end-all";
    if (isEnding && (isGroupAlive(pid) || (await strays()).length > 0)) void kill();
    for (let watch = FIRST_WATCH; killing === null && isGroupAlive(pid); watch = Math.min(watch * 2, LAST_WATCH)) {
      await pass(watch, undefined, { ref: false, signal: killed.signal }).catch(() => {});
    }
    await killing;
    // The last output arrives before the end; a process outside the group may hold the pipes open forever.
    await Promise.race([closed, pass(DRAIN, undefined, { ref: false })]);
    if (signal === "SIGKILL" && spec.tidy !== undefined) await tidyUp(spec.tidy);
    over = true;
    unsubscribe();
    forget();
  });

  const input = createInput(child);
  return {
    pid,
    exited,
    ended,
    write: input.write,
    get isDeaf() {
      return input.isDeaf;
    },
    end: () => void child.stdin?.end(),
    pause: () => void child.stdout?.pause(),
    resume: () => void child.stdout?.resume(),
    kill: async () => {
      await kill();
      await ended;
    },
  };
}

/** Resolves when it has ended or could not be started: nothing depends on it. */
function tidyUp([program = "", ...args]: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: sep, env: {}, stdio: "ignore", timeout: TIDYING });
    child.once("error", () => resolve());
    child.once("close", () => resolve());
  });
}

function start(program: string, args: readonly string[], spec: ProcessSpec, mark: string): Promise<ChildProcess> {
  startWatcher();
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: spec.cwd,
      env: spec.leftovers === "free" ? spec.env : marked(spec.env, mark),
      stdio: [spec.stdin === "pipe" ? "pipe" : "ignore", "pipe", "pipe"],
      detached: true,
      windowsHide: true,
    });
    child.stdout?.on("data", spec.onStdout);
    child.stderr?.on("data", spec.onStderr);
    // A reset pipe is not news: `write` reports its own failures, and the end of the process says the rest.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on("error", () => {});
    child.once("spawn", () => resolve(child));
    child.once("error", (error) => reject(toSpawnError(program, spec, error)));
    child.on("error", () => {});
  });
}

/**
 * The exit once all output has been read. If a leftover process holds the pipes open, that never ends: then it is the
 * exit after a while without output, at most `DRAIN_ROUNDS` whiles later. Silence does not count while a process of the
 * group is busy: on a loaded machine, output may be delayed that long.
 */
function drained(child: ChildProcess, group: number): Promise<ProcessExit> {
  return new Promise((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal }));
    child.once("exit", (code, signal) => {
      let came = false;
      const note = () => {
        came = true;
      };
      child.stdout?.on("data", note);
      child.stderr?.on("data", note);
      const check = (rounds: number) => {
        const isBusy = isGroupBusy(group);
        // Output that is waiting by now, even from a process that was just busy, is read before an immediate runs.
        setImmediate(() => {
          if (rounds === 0 || !(came || isBusy)) return resolve({ code, signal });
          came = false;
          timer = setTimeout(check, DRAIN, rounds - 1);
        });
      };
      let timer = setTimeout(check, DRAIN, DRAIN_ROUNDS);
      child.once("close", () => clearTimeout(timer));
    });
  });
}

function createInput({ stdin }: ChildProcess): Pick<ProcessHandle, "write" | "isDeaf"> {
  let isHeld = false;
  let isDeaf = false;
  const release = (): void => {
    isHeld = false;
    stdin?.uncork();
  };
  return {
    get isDeaf() {
      return isDeaf;
    },
    write: (data, atOnce = false) =>
      new Promise((resolve, reject) => {
        const fail = (): void => {
          isDeaf = true;
          reject(new ToolcribError("process.input-closed", "The process has ended or closed its input."));
        };
        if (stdin === null || !stdin.writable) return fail();
        if (!isHeld && !atOnce) {
          isHeld = true;
          stdin.cork();
          holdInput(release);
        }
        stdin.write(data, (error) => (error ? fail() : resolve()));
      }),
  };
}

function toSpawnError(program: string, { cwd, env }: Pick<ProcessSpec, "cwd" | "env">, error: Error): ToolcribError {
  // An unreadable folder on the path makes every missing program look non-executable.
  const isHidden = !program.includes("/") && !isOnPath(program, env.PATH ?? "");
  const given = "code" in error ? error.code : null;
  const code = given === "EACCES" && isHidden ? "ENOENT" : given;
  if (code === "ENOENT" && !isFolder(cwd)) {
    return new ToolcribError("process.not-started", `Cannot run "${program}": the folder to run it in does not exist.`);
  }
  if (code === "ENOENT") {
    const text = `There is no program "${program}"${program.includes("/") ? "" : " on the PATH"}.`;
    return new ToolcribError("process.not-found", text, { names: [program] });
  }
  const reason = code === "EACCES" ? "it may not be executed; check its permissions" : String(code ?? error.message);
  return new ToolcribError("process.not-started", `Cannot run "${program}": ${reason}.`, { names: [program] });
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
