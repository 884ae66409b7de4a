import type { Command } from "./command.ts";
import type { CommandName } from "./commands.ts";

/** A command's code is loaded only to run it: what one needs must not slow the others down. */
export async function loadCommand(name: CommandName | null): Promise<Command> {
  switch (name) {
    case null:
    case "list":
      return (await import("./list-command.ts")).runList;
    case "help":
      return (await import("./help-command.ts")).runHelp;
  }
}
