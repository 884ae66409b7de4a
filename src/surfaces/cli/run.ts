import { loadCommand } from "./load-command.ts";
import { createRunner } from "./run-with.ts";

export { printFailure } from "./run-with.ts";

/** Runs one command line against any Io; resolves to the exit status and never rejects. */
export const run = createRunner(loadCommand);
