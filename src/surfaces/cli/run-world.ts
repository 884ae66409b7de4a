import { type Arguments, parseCommandLine } from "./command-line/arguments.ts";
import type { Command } from "./command-line/command.ts";
import { createRunner } from "./run-with.ts";
import type { Io } from "./terminal/io.ts";

const CODE: ReadonlyMap<string | null, () => Promise<Command>> = new Map([
  ["list", async () => (await import("./ask/list-command.ts")).runList],
  ["why", async () => (await import("./ask/why-command.ts")).runWhy],
]);

/** Questions about a world file need little, and it stands in one file: reading many takes longer than the answer. */
export async function runWorld(argv: readonly string[], io: Io): Promise<number> {
  const load = findCommand(argv);
  if (load === undefined) return (await import("./run.ts")).run(argv, io);
  return createRunner(load)(argv, io);
}

/** Undefined for all else, also for what is no command line at all. */
function findCommand(argv: readonly string[]): (() => Promise<Command>) | undefined {
  try {
    const { command, has }: Arguments = parseCommandLine(argv);
    return has("world") && !has("help") && !has("version") ? CODE.get(command) : undefined;
  } catch {
    return undefined;
  }
}
