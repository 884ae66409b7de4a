import { createProcessIo } from "./io.ts";
import { run } from "./run.ts";

/** Runs one command line in this process; resolves to the exit status. */
export async function main(argv: readonly string[]): Promise<number> {
  return run(argv, createProcessIo());
}
