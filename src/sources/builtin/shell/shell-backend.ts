import { findProgram } from "../../../system/process/find-program.ts";

/** How a command line becomes a program to start. Both backends merge the error stream into the output, in order. */
export interface ShellBackend {
  readonly kind: "process" | "pty";
  /** The command's input: nothing or a pipe as chosen, or always a terminal. */
  readonly input: "chosen" | "terminal";
  toArgv(command: string): readonly string[];
}

/**
 * Plain pipes. Node gives children sockets, which cannot be opened as `/dev/stdout`; `cat` turns the output into a pipe
 * that carries both streams, and lives until its last writer is gone. Bash reads the user's start-up file when its
 * input is a socket, hence `--norc`.
 */
export const PROCESS_BACKEND: ShellBackend = {
  kind: "process",
  input: "chosen",
  toArgv: (command) => [...BASH, JOIN, command],
};

const BASH = ["bash", "--norc", "-c", "--"] as const;
const JOIN = `exec > >(trap "" HUP INT TERM; exec cat) 2>&1; exec ${BASH.join(" ")} "$0"`;

/** A pseudo-terminal through the system's own `script` utility, so that no native module is needed; null without it. */
export function findPtyBackend(env: Readonly<Record<string, string | undefined>>): ShellBackend | null {
  const program = findProgram("script", env.PATH ?? "");
  if (program === null) return null;
  const toArgv = SCRIPT_FORMS.get(process.platform);
  return toArgv === undefined
    ? null
    : { kind: "pty", input: "terminal", toArgv: (command) => toArgv(program, command) };
}

/** A terminal without a window has no size, and programs that draw need one. */
const SIZE = "stty rows 40 cols 120 2>/dev/null";

const SCRIPT_FORMS: ReadonlyMap<string, (program: string, command: string) => readonly string[]> = new Map([
  ["linux", (program, command) => [program, "-qfec", `${SIZE}; exec ${BASH.join(" ")} ${quote(command)}`, "/dev/null"]],
  ["darwin", (program, command) => [program, "-q", "/dev/null", ...BASH, command]],
]);

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
