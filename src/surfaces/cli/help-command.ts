import { readVersion } from "../../system/version.ts";
import { type Arguments, parseCommand } from "./arguments.ts";
import type { CommandInput } from "./command.ts";
import type { CommandName } from "./commands.ts";
import { toJson } from "./escape-text.ts";
import { describeCommand, describeProgram, formatHelp } from "./help-text.ts";

/** `--version`, `--help`, `help` and `help COMMAND`. */
export async function runHelp({ args, io }: CommandInput): Promise<number> {
  const json = args.has("json");
  if (args.has("version")) {
    const version = readVersion();
    io.out(json ? toJson({ version }, io.isTTY) : `${version}\n`);
    return 0;
  }
  const wanted = toCommand(args);
  const help = wanted === null ? describeProgram() : describeCommand(wanted);
  io.out(json ? toJson(help, io.isTTY) : formatHelp(help, io.columns ?? 80));
  return 0;
}

/** `help --help` asks about `help` itself. */
function toCommand({ command, operands: [operand], has }: Arguments): CommandName | null {
  if (command !== "help") return command;
  return operand === undefined && has("help") ? "help" : parseCommand(operand ?? null);
}
