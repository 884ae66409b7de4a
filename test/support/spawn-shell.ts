import { type ChildProcess, spawn } from "node:child_process";

interface ShellPlace {
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly shell: string;
  /** False: standard input stays open after the event. */
  readonly ends?: boolean;
}

/** Starts a line as clients start their hooks: in a shell, with the event on standard input. */
export function spawnShell(line: string, input: string, { cwd, env, shell, ends = true }: ShellPlace): ChildProcess {
  const child = spawn(shell, ["-c", line], { cwd, env });
  child.stdin.on("error", () => undefined).write(input);
  if (ends) child.stdin.end();
  return child;
}
