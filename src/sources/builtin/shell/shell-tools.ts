import { isToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { PathRefusal } from "../../../system/paths/path-refusal.ts";
import { waitForQuiet, waitUntil } from "../../../system/time/wait-until.ts";
import type { BuiltinHandler } from "../parts/handler.ts";
import { type BuiltinResult, toResult } from "../parts/outcome.ts";
import { fail, succeed } from "../parts/results.ts";
import type { CommandTable } from "./command-table.ts";
import { describeCommand, ownLines, toStructured } from "./describe-command.ts";
import { noteCovered, noteStandIns } from "./note-stand-ins.ts";
import type { RunningCommand } from "./running-command.ts";
import { findPtyBackend, PROCESS_BACKEND } from "./shell-backend.ts";
import { toShellLaunch } from "./shell-launch.ts";

export interface ShellLimits {
  /** Bytes of unread output that are held, from its beginning and its end. */
  readonly head: number;
  readonly tail: number;
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly grace: number;
}

const INITIAL_WAIT = 30;
const LONGEST_WAIT = 600;
const LONGEST_COMMAND = 100_000;
const LARGEST_INPUT = 1_000_000;
/** How long output must pause for a read to return it as one piece. */
const QUIET = 100;
/** How long a command may take to accept its input before the answer no longer waits for it. */
const INPUT_PATIENCE = 5_000;

export function createBash(table: CommandTable, limits: ShellLimits): BuiltinHandler {
  return async (args, { signal }, host) => {
    const { command, mode } = args;
    if (typeof command !== "string" || command.trim() === "") return fail("The command is empty.");
    if (command.includes("\0")) return fail("The command holds a NUL character, which no command line can.");
    if (command.length > LONGEST_COMMAND) return fail("The command is too long; put it into a script and run that.");
    const background = mode === "background";
    const pty = args.tty === true ? findPtyBackend(host.env) : null;
    const backend = pty ?? PROCESS_BACKEND;
    const takesInput = background || backend.input === "terminal";
    try {
      const launch = await toShellLaunch(host, backend.toArgv(command), args.cwd);
      signal.throwIfAborted();
      const started = await table.start({ command, launch, takesInput, limits, grace: limits.grace });
      if (started === null) return fail(`Too many commands are running. End one with stop_bash: ${listIds(table)}.`);
      const note = args.tty === true && pty === null ? "[no terminal is available here; it runs without one]\n" : "";
      if (background && !signal.aborted)
        return succeed(
          note + describeCommand(started, NOTHING) + noteCovered(launch, host.workspace),
          toStructured(started, NOTHING),
        );
      const seconds = toSeconds(args.initial_wait, INITIAL_WAIT);
      return await waitInForeground(table, started, seconds, signal, {
        note,
        below: noteCovered(launch, host.workspace),
        standIns: launch.standIns ?? [],
      });
    } catch (error) {
      return toFailure(error);
    }
  };
}

async function waitInForeground(
  table: CommandTable,
  command: RunningCommand,
  seconds: number,
  signal: AbortSignal,
  { note, below, standIns }: { readonly note: string; readonly below: string; readonly standIns: readonly string[] },
): Promise<BuiltinResult> {
  await waitUntil(() => command.exit !== null && command.state !== "running", command.watch, {
    within: seconds * 1_000,
    signal,
  });
  if (signal.aborted) await command.stop();
  const output = command.read();
  table.forget(command.id);
  const structured = toStructured(command, output);
  if (signal.aborted) return fail(`[stopped before it was done]\n${describeCommand(command, output)}`, { structured });
  const notes = noteStandIns(output.text, standIns) + below;
  if (command.state === "ended" && structured.exitCode !== null)
    return toResult({ what: "exited", output: note + ownLines(output), code: structured.exitCode, notes }, structured);
  const text = note + describeCommand(command, output) + notes;
  const failed = command.exit !== null && command.exit.code !== 0;
  return failed ? fail(text, { structured }) : succeed(text, structured);
}

export function createReadBash(table: CommandTable): BuiltinHandler {
  return async (args, { signal }) => {
    const command = findCommand(table, args.id);
    if (command === null) return unknownId(table, args.id);
    const wait = toSeconds(args.wait, 0) * 1_000;
    const started = performance.now();
    const ended = () => command.state === "ended";
    if (await waitUntil(() => command.hasOutput || ended(), command.watch, { within: wait, signal })) {
      const left = wait - (performance.now() - started);
      if (!ended() && left > 0) await waitForQuiet(command.watch, QUIET, left, signal);
    }
    const output = command.read();
    table.forget(command.id);
    const text = output.text === "" ? "[no new output]\n" : "";
    return succeed(text + describeCommand(command, output), toStructured(command, output));
  };
}

export function createWriteBash(table: CommandTable): BuiltinHandler {
  return async (args, { signal }) => {
    const command = findCommand(table, args.id);
    if (command === null) return unknownId(table, args.id);
    if (typeof args.input !== "string") return fail("The input is missing.");
    if (args.input.length > LARGEST_INPUT)
      return fail("The input is too long; write it to a file and let the command read that.");
    if (!command.takesInput) {
      return fail(`Command ${command.id} has no input. Start it with mode "background" or with tty to write to it.`);
    }
    const written = command.write(args.enter === false ? args.input : `${args.input}\n`);
    let taken: boolean | null = null;
    written.then(
      () => {
        taken = true;
      },
      () => {
        taken = false;
      },
    );
    const settled = (look: () => void) => {
      void written.then(look, look);
      return () => {};
    };
    await waitUntil(() => taken !== null, settled, { within: INPUT_PATIENCE, signal });
    if (taken === false) return fail(`Command ${command.id} has ended or closed its input; see read_bash.`);
    const text = taken === null ? "It has not taken all of the input yet; the rest waits." : "Written.";
    return succeed(`${text} See read_bash for what it answers.`);
  };
}

export function createStopBash(table: CommandTable): BuiltinHandler {
  return async (args) => {
    const command = findCommand(table, args.id);
    if (command === null) return unknownId(table, args.id);
    await command.stop();
    const output = command.read();
    table.forget(command.id);
    return succeed(
      `Stopped, with everything it started.\n${describeCommand(command, output)}`,
      toStructured(command, output),
    );
  };
}

export function createListBash(table: CommandTable): BuiltinHandler {
  return async () => {
    const commands = table.list();
    if (commands.length === 0) return succeed("No command is running.", []);
    const lines = commands.map((command) => `${command.id}  ${toStatus(command)}  ${toOneLine(command.command)}`);
    const structured = commands.map((command) => ({
      ...toStructured(command, NOTHING),
      id: command.id,
      command: command.command,
    }));
    return succeed(lines.join("\n"), structured);
  };
}

const NOTHING = { text: "", leftOut: 0 };

function toStatus({ state, hasOutput }: RunningCommand): string {
  const words = { running: "running", left: "ended, with children running", ended: "ended" } as const;
  return hasOutput ? `${words[state]}, new output` : words[state];
}

function toOneLine(command: string): string {
  const line = command.replace(/\s+/gu, " ").trim();
  return line.length > 120 ? `${line.slice(0, 120)}…` : line;
}

export function findCommand(table: CommandTable, id: unknown): RunningCommand | null {
  return typeof id === "string" ? table.get(id) : null;
}

export function unknownId(table: CommandTable, id: unknown): BuiltinResult {
  const known = table.list().length === 0 ? "No command is running." : `Known ids: ${listIds(table)}.`;
  return fail(
    `There is no command with the id ${JSON.stringify(id) ?? "(none)"}; one whose end was told is gone. ${known}`,
  );
}

function listIds(table: CommandTable): string {
  return table
    .list()
    .map(({ id }) => id)
    .join(", ");
}

export function toSeconds(value: unknown, otherwise: number): number {
  if (typeof value !== "number" || Number.isNaN(value)) return otherwise;
  return Math.min(Math.max(value, 0), LONGEST_WAIT);
}

/** Errors that a model can act on; any other is a bug and is rethrown. */
function toFailure(error: unknown): BuiltinResult {
  if (error instanceof PathRefusal || isToolcribError(error)) return fail(error.message);
  if (error instanceof Error && error.name === "AbortError") return fail("[stopped before it began]");
  throw error;
}
