import type { Arguments } from "./arguments.ts";
import type { Io } from "./io.ts";
import type { Log } from "./log.ts";

/** What every command gets. It returns its exit status and throws `ToolcribError` for what a person must act on. */
export interface CommandInput {
  readonly io: Io;
  readonly args: Arguments;
  readonly log: Log;
}

export type Command = (input: CommandInput) => Promise<number>;
