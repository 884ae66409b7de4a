import { isToolcribError, ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { escapeLines, toJson } from "../../system/text/escape-text.ts";
import { type Arguments, parseCommandLine, parseWord } from "./command-line/arguments.ts";
import type { Command, RunningHere } from "./command-line/command.ts";
import type { CommandName } from "./command-line/commands.ts";
import { QUESTIONS } from "./running/questions.ts";
import type { Io } from "./terminal/io.ts";
import { createLog, LOG_DETAILS, type LogDetail } from "./terminal/log.ts";

type RunLine = (argv: readonly string[], io: Io, running?: RunningHere) => Promise<number>;

/** Runs command lines whose code comes from `load`; resolves to the exit status and never rejects. */
export function createRunner(load: (name: CommandName | null) => Promise<Command>): RunLine {
  return async function run(argv, io, running) {
    try {
      const args = parseCommandLine(argv);
      const asksHelp = args.has("version") || args.has("help");
      const log = createLog(io, toLevel(args, io));
      if (running === undefined && !asksHelp && asksWhatRuns(args)) {
        const { askRunning } = await import("./running/ask-running.ts");
        const say = (text: string): void => (args.has("json") ? undefined : io.err(text));
        const status = await askRunning(argv, io, { say, debug: log.debug });
        if (status !== null) return status;
      }
      const command = await load(asksHelp ? "help" : args.command);
      return await command({ io, args, log, run, ...(running === undefined ? {} : { running }) });
    } catch (error) {
      return printFailure(error, argv, io);
    }
  };
}

/** Questions that a Toolcrib which runs for the workspace answers without starting anything again. */
function asksWhatRuns({ command, operands, has }: Arguments): boolean {
  if (!QUESTIONS.has(command) || has("fresh") || has("world") || has("no-start")) return false;
  // A login needs a browser and a terminal of its own.
  return command !== "servers" || (operands[0] !== "login" && operands[0] !== "logout");
}

function toLevel(args: Arguments, { env }: Io): LogDetail {
  const flag = args.value("log-level");
  if (flag !== null) return parseWord("--log-level", flag, LOG_DETAILS);
  const variable = env.TOOLCRIB_LOG;
  return variable === undefined || variable === "" ? "info" : parseWord("TOOLCRIB_LOG", variable, LOG_DETAILS);
}

/** Codes of answers that are a no; most others are about something wrong in a file. */
const NO: ReadonlySet<string> = new Set([
  ...["audit.not-found", "grant.not-found", "pin.unknown", "tool.not-found", "server.unknown"],
  ...["login.failed", "login.address-refused", "file.exists", "file.not-written", "internal.bug"],
  ...["up.running", "up.not-running", "up.silent", "up.refused", "up.not-started"],
]);

/** The arguments may be what is wrong, so whether JSON is wanted is read from them as they are. */
export function printFailure(error: unknown, argv: readonly string[], io: Io): number {
  const { code, message, names } = toFailure(error);
  if (wants(argv, "--json")) {
    io.out(toJson({ error: { code, text: message, ...(names.length === 0 ? {} : { names }) } }, io.isTTY));
  } else {
    // Several mistakes come as one line each; whatever else a line holds is escaped.
    io.err(`toolcrib: ${escapeLines(message)}\n`);
  }
  if (code === "internal.bug" && error instanceof Error && isDebugging(argv, io)) io.err(`${error.stack}\n`);
  if (code === "usage.invalid") return 2;
  return NO.has(code) ? 1 : 3;
}

function toFailure(error: unknown): ToolcribError {
  if (isToolcribError(error)) return error;
  const refused = toMachineFailure(error);
  if (refused !== null) return refused;
  const text = error instanceof Error ? error.message : String(error);
  return new ToolcribError(
    "internal.bug",
    `something went wrong inside: ${text}; please report it, with the output of --log-level debug`,
  );
}

/** What the machine does not allow is nothing to report: a folder that cannot be written, a full disk. */
function toMachineFailure(error: unknown): ToolcribError | null {
  if (!(error instanceof Error && "code" in error && "path" in error)) return null;
  const why = REFUSALS.get(String(error.code));
  if (why === undefined) return null;
  const places = "HOME, XDG_CONFIG_HOME and XDG_STATE_HOME say where Toolcrib keeps its own files";
  const text = `${String(error.path)}: ${why} (${String(error.code)}); make that possible, or use another folder: ${places}`;
  return new ToolcribError("file.not-written", text, { names: [String(error.path)] });
}

const REFUSALS: ReadonlyMap<string, string> = new Map([
  ["EACCES", "you may not write or read here"],
  ["EPERM", "you may not write or read here"],
  ["EROFS", "nothing can be written to this disk"],
  ["ENOSPC", "the disk is full"],
  ["EDQUOT", "your share of the disk is full"],
  ["ENOTDIR", "a file is in the way of this folder"],
  ["ENAMETOOLONG", "the path is too long"],
  ["EIO", "the disk failed"],
]);

function wants(argv: readonly string[], flag: string): boolean {
  const end = argv.indexOf("--");
  return (end === -1 ? argv : argv.slice(0, end)).includes(flag);
}

function isDebugging(argv: readonly string[], { env }: Io): boolean {
  const at = argv.indexOf("--log-level");
  return (at !== -1 && argv[at + 1] === "debug") || wants(argv, "--log-level=debug") || env.TOOLCRIB_LOG === "debug";
}
