import type { Client } from "../../../core/scene/client.ts";
import type { Crib } from "../../../runtime/crib/crib.ts";
import type { Io } from "../terminal/io.ts";
import type { Log } from "../terminal/log.ts";
import type { Arguments } from "./arguments.ts";

/** What every command gets. It returns its exit status and throws `ToolcribError` for what a person must act on. */
export interface CommandInput {
  readonly io: Io;
  readonly args: Arguments;
  readonly log: Log;
  /** Runs another command line, which a process elsewhere has sent. */
  readonly run: (argv: readonly string[], io: Io, running: RunningHere) => Promise<number>;
  /** The running Toolcrib that answers this command for another process; absent where it runs by itself. */
  readonly running?: RunningHere;
}

export interface RunningHere {
  readonly crib: Pick<Crib, "openBeside" | "main" | "sources" | "views">;
  /** The clients that are connected now. */
  readonly clients: () => readonly Client[];
  /** Counts these variables from now on, until it ends; resolves to the names whose value that changed. */
  readonly take: (variables: Readonly<Record<string, string>>) => Promise<readonly string[]>;
  readonly pid: number;
  /** Null where it has no address. */
  readonly origin: string | null;
}

export type Command = (input: CommandInput) => Promise<number>;
