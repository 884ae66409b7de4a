import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { createStyle } from "./style.ts";
import type { Screen, TypedLines } from "./typed-lines.ts";

/** Everything a command may touch of its process, so that a test can run it without one. */
export interface Io {
  /** One place for answers; with `--json` nothing but one document goes there. */
  out(text: string): void;
  err(text: string): void;
  /** Standard input up to its end, or its first line; asked again, the same text. */
  readInput(until: "end" | "line"): Promise<string>;
  readonly onLine: TypedLines["onLine"];
  /**
   * Takes the terminal over until the lines are closed, for typing with editing keys and with what was typed before,
   * newest first. What is written to `out` and `err` meanwhile stands above. Absent where no terminal is there.
   */
  readonly openScreen?: ((history: readonly string[]) => Promise<Screen>) | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the person's shell has now for these names; absent where `env` is that of the shell itself. */
  readonly variables?: (names: readonly string[]) => Promise<Readonly<Record<string, string>>>;
  readonly cwd: string;
  /** Width of the terminal; null when stdout is none. */
  readonly columns: number | null;
  /** Stdout is a terminal. */
  readonly isTTY: boolean;
  /** Stderr is a terminal, where a line about progress can be written over. */
  readonly errIsTTY: boolean;
  /**
   * Calls `stop` when the process is told to end (Ctrl-C), and lets it end as told once that is done; told again, it
   * ends at once. Returns how to take that back. A Ctrl-C that `takes` has a use for ends nothing.
   */
  onInterrupt(stop: () => Promise<void>, takes?: () => boolean): () => void;
  /** Somebody is there to answer a question: stdin and stderr are terminals. */
  readonly canAsk: boolean;
}

/** The real process. A reader that has had enough (`| head`) is no failure. */
export function createProcessIo(): Io {
  const { stdout, stderr, env } = process;
  const hasLeft = (error: Error): boolean => "code" in error && error.code === "EPIPE";
  const quit = (error: Error): void => {
    if (hasLeft(error)) process.exit();
    if (stdout.isTTY) process.on("exit", dieOfHangup);
    stderr.write(`toolcrib: the answer cannot be written: ${error.message}\n`);
    process.exit(1);
  };
  let input: Promise<string> | null = null;
  stdout.on("error", quit);
  // What people are told beside the answer stops nothing when it finds no room.
  stderr.on("error", (error: Error) => (hasLeft(error) ? process.exit() : undefined));
  let screen: Screen | null = null;
  const write = (stream: NodeJS.WriteStream, text: string): void => {
    if (screen !== null && stream.isTTY) screen.print(text);
    else stream.write(text);
  };
  return {
    out: (text) => write(stdout, text),
    err: (text) => write(stderr, text),
    readInput: (until) => {
      input ??= readInput(until);
      return input;
    },
    get openScreen() {
      if (stderr.isTTY !== true || process.stdin.isTTY !== true || env.TERM === "dumb") return undefined;
      return async (history: readonly string[]) => {
        const { openScreen } = await import("./open-screen.ts");
        screen = openScreen({
          ...{ input: process.stdin, output: stderr, history, style: createStyle({ env, isTTY: true }) },
          // Keys come as they are, so these have to be made what they are elsewhere.
          interrupt: () => void process.kill(process.pid, "SIGINT"),
          suspend: () => void process.kill(process.pid, "SIGTSTP"),
        });
        return screen;
      };
    },
    onLine(listener, onEnd = () => {}) {
      // Loaded here, for most commands read no lines.
      const { createInterface } = process.getBuiltinModule("node:readline");
      const lines = createInterface({ input: process.stdin, terminal: false });
      lines.on("line", listener);
      lines.on("close", onEnd);
      return () => {
        lines.off("close", onEnd);
        lines.close();
        process.stdin.pause();
      };
    },
    env,
    get cwd() {
      return currentFolder();
    },
    // Some terminals do not know how wide they are, and say 0.
    columns: (stdout.isTTY && stdout.columns) || null,
    isTTY: stdout.isTTY === true,
    get errIsTTY() {
      return stderr.isTTY === true;
    },
    onInterrupt,
    get canAsk() {
      // Only to look at standard input opens it.
      return stderr.isTTY === true && process.stdin.isTTY === true;
    },
  };
}

async function readInput(until: "end" | "line"): Promise<string> {
  let text = "";
  process.stdin.setEncoding("utf8");
  for await (const chunk of process.stdin) {
    text += String(chunk);
    if (until === "line" && text.includes("\n")) break;
  }
  return until === "line" ? (text.split("\n", 1)[0] ?? "").trim() : text;
}

const ENDING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

function onInterrupt(stop: () => Promise<void>, takes: () => boolean = () => false): () => void {
  let told = false;
  const take = (signal: NodeJS.Signals): void => {
    if (!told && signal === "SIGINT" && takes()) return;
    // Exiting reaps children that are left; dying by the signal would not.
    if (told) process.exit(130);
    told = true;
    if (signal === "SIGHUP") process.on("exit", dieOfHangup);
    void stop().finally(() => {
      release();
      process.kill(process.pid, signal);
    });
  };
  const release = (): void => {
    for (const signal of ENDING) process.off(signal, take);
  };
  for (const signal of ENDING) process.on(signal, take);
  return release;
}

/**
 * Node puts the settings of a terminal back when it exits, and aborts where that terminal is gone. To be ended by the
 * signal, behind everything else that happens at the exit, avoids that.
 */
function dieOfHangup(): void {
  process.removeAllListeners("SIGHUP");
  process.kill(process.pid, "SIGHUP");
  // Another thread may be the one that takes it.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, HANGUP_PATIENCE);
}

const HANGUP_PATIENCE = 1_000;

/** Somebody may have removed it while a shell stood in it. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    throw new ToolcribError("usage.invalid", "the current folder does not exist any more; change to another one");
  }
}
