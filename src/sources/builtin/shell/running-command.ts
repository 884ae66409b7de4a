import { setTimeout as pass } from "node:timers/promises";
import { createOutputBuffer, type OutputLimits } from "../../../system/process/output-buffer.ts";
import { type ProcessExit, type ProcessHandle, spawnProcess } from "../../../system/process/spawn-process.ts";
import { cleanOutput } from "../../../system/text/clean-text.ts";
import type { Launch } from "../../host.ts";

/** The state of a command. `left`: it has ended, but something it started has not. */
type CommandState = "running" | "left" | "ended";

export interface NewOutput {
  readonly text: string;
  /** Bytes that did not fit. */
  readonly leftOut: number;
}

/** One command that bash started, until its end has been reported. */
export interface RunningCommand {
  readonly id: string;
  readonly command: string;
  readonly takesInput: boolean;
  readonly state: CommandState;
  readonly exit: ProcessExit | null;
  readonly hasOutput: boolean;
  /** Output since the last read, cleaned. */
  read(): NewOutput;
  write(text: string): Promise<void>;
  /** Resolves when the command itself has ended. */
  readonly exited: Promise<void>;
  /** Calls back on output and on every change of state; returns how to unsubscribe. */
  watch(listener: () => void): () => void;
  stop(): Promise<void>;
}

export interface CommandLaunch {
  readonly id: string;
  readonly command: string;
  readonly launch: Launch;
  readonly takesInput: boolean;
  readonly limits: OutputLimits;
  readonly grace: number;
}

/** How long processes may take to exit after the last output. */
const LEAVING = 150;

/** A terminal sequence that the end of a read cut in two. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character starts such a sequence.
const CUT_SEQUENCE = /\u001b(?:\[[0-?]{0,64}[ -/]{0,8}|[ -/]{0,8}|\][^\u0007\u001b\n]{0,256})$/u;

export async function startCommand(spec: CommandLaunch): Promise<RunningCommand> {
  const output = createOutputBuffer(spec.limits);
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of [...listeners]) listener();
  };
  let state: CommandState = "running";
  let exit: ProcessExit | null = null;
  let cut = "";

  const onOutput = (chunk: Buffer) => {
    output.push(chunk);
    notify();
  };
  const handle: ProcessHandle = await spawnProcess({
    ...spec.launch,
    stdin: spec.takesInput ? "pipe" : "none",
    onStdout: onOutput,
    onStderr: onOutput,
    grace: spec.grace,
    leftovers: "keep",
  });
  const ended = handle.ended.then(() => {
    state = "ended";
    notify();
  });
  const exited = handle.exited.then(async (how) => {
    exit = how;
    // If nothing is left running, the group ends soon; only otherwise is it worth a note.
    const late = new AbortController();
    await Promise.race([ended, pass(LEAVING, undefined, { signal: late.signal }).catch(() => {})]);
    late.abort();
    if (state === "running") state = "left";
    notify();
  });

  return {
    id: spec.id,
    command: spec.command,
    takesInput: spec.takesInput,
    get state() {
      return state;
    },
    get exit() {
      return exit;
    },
    get hasOutput() {
      return !output.isEmpty || cut !== "";
    },
    read: () => {
      const { text, leftOut } = output.take(state === "ended");
      const all = cut + text;
      cut = state === "ended" ? "" : (CUT_SEQUENCE.exec(all)?.[0] ?? "");
      return { text: cleanOutput(all.slice(0, all.length - cut.length)), leftOut };
    },
    write: (text) => handle.write(text),
    exited,
    watch: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop: () => handle.kill(),
  };
}
