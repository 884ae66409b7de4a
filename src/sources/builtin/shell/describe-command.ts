import type { ProcessExit } from "../../../system/process/spawn-process.ts";
import type { NewOutput, RunningCommand } from "./running-command.ts";

/** How a process ended, in a few words. */
export function describeExit({ code, signal }: ProcessExit): string {
  return signal === null ? `exit code ${code}` : `ended by signal ${signal}`;
}

/** What a command wrote, followed by its state and what can be done next. */
export function describeCommand(command: RunningCommand, output: NewOutput): string {
  return `${ownLines(output)}[${describeState(command)}]`;
}

/** What it wrote, ending with a line break. */
export function ownLines({ text }: NewOutput): string {
  const own = text.replace(/\n$/u, "");
  return own === "" ? "" : `${own}\n`;
}

/** The same as data, for programs. */
export function toStructured(command: RunningCommand, output: NewOutput) {
  return {
    id: command.state === "ended" ? null : command.id,
    state: command.state,
    exitCode: command.exit?.code ?? null,
    signal: command.exit?.signal ?? null,
    bytesLeftOut: output.leftOut,
  };
}

function describeState({ id, exit, state }: RunningCommand): string {
  if (exit === null) return `still running, id ${id}: follow it with read_bash, end it with stop_bash`;
  if (state === "ended") return describeExit(exit);
  return `${describeExit(exit)}; something it started is still running, id ${id}: follow it with read_bash, end it with stop_bash`;
}
