import { findProgram } from "../../../system/process/find-program.ts";

/** How a command line becomes a program to start. Both backends merge the error stream into the output, in order. */
export interface ShellBackend {
  readonly kind: "process" | "pty";
  /** What the command finds as its input: nothing or a pipe as asked for, or always a terminal. */
  readonly input: "chosen" | "terminal";
  toArgv(command: string): readonly string[];
}

/** Plain pipes. The outer bash only joins the two streams and gives its place to the inner one. */
export const PROCESS_BACKEND: ShellBackend = {
  kind: "process",
  input: "chosen",
  toArgv: (command) => ["bash", "-c", 'exec bash -c "$0" 2>&1', command],
};

/** A pseudo-terminal by the system's own `script` utility, so that no native module is needed; null without it. */
export function findPtyBackend(env: Readonly<Record<string, string | undefined>>): ShellBackend | null {
  const program = findProgram("script", env.PATH ?? "");
  if (program === null) return null;
  const toArgv = SCRIPT_FORMS.get(process.platform);
  return toArgv === undefined
    ? null
    : { kind: "pty", input: "terminal", toArgv: (command) => toArgv(program, command) };
}

const SCRIPT_FORMS: ReadonlyMap<string, (program: string, command: string) => readonly string[]> = new Map([
  ["linux", (program, command) => [program, "-qfec", `exec bash -c ${quote(command)}`, "/dev/null"]],
  ["darwin", (program, command) => [program, "-q", "/dev/null", "bash", "-c", command]],
]);

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
