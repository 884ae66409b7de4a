import { readVersion } from "../../../system/version.ts";
import { type Arguments, parseCommand } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import type { CommandName } from "../command-line/commands.ts";
import { printAnswer } from "../command-line/print-answer.ts";
import { formatHelp, toCommandHelp, toProgramHelp } from "./help-text.ts";

/** `--version`, `--help`, `help` and `help COMMAND`. */
export async function runHelp(input: CommandInput): Promise<number> {
  const { args, io } = input;
  if (args.has("version")) {
    const version = readVersion();
    printAnswer(input, { version }, () => `${version}\n`);
    return 0;
  }
  const wanted = toCommand(args);
  const help = wanted === null ? toProgramHelp() : toCommandHelp(wanted);
  printAnswer(input, help, () => formatHelp(help, io.columns ?? 80));
  return 0;
}

/** `help --help` asks about `help` itself. */
function toCommand({ command, operands: [operand], has }: Arguments): CommandName | null {
  if (command !== "help") return command;
  return operand === undefined && has("help") ? "help" : parseCommand(operand ?? null);
}
