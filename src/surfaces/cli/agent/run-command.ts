import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import type { Config } from "../../../config/config.ts";
import { commandName, namedPrompt } from "../../../core/agent/prompt-command.ts";
import type { UserPart } from "../../../core/call/message.ts";
import { nearestNames } from "../../../core/codes/nearest-name.ts";
import { isToolcribError, ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { RunEnd } from "../../../runtime/loop/run-types.ts";
import { ModelError } from "../../../runtime/models/model-error.ts";
import { readSaid, type SaidPrompt, sendSaid } from "../../../runtime/session/conversation/said-prompt.ts";
import { toJson } from "../../../system/text/escape-text.ts";
import { parseWord, usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { readTimeout } from "../command-line/number-options.ts";
import { RUN_FORMATS } from "../command-line/options.ts";
import type { TerminalAgent } from "./agent-session.ts";
import { openRunAgent } from "./open-run-agent.ts";
import { readLimits } from "./run-limits.ts";
import { createRunView, isDone, showEnd } from "./show-run.ts";

/** `toolcrib run PROMPT`: one run to its end. Status 0: the model was done; 1: something else ended it. */
export async function runRun(input: CommandInput): Promise<number> {
  const { io, args } = input;
  const limits = readLimits(input);
  const format = readFormat(input);
  const file = await readExport(input);
  const prompt = await readPrompt(input);
  const attachments = await Promise.all(args.values("attach").map((path) => readAttachment(resolve(io.cwd, path))));
  const opened = await openRunAgent(input);
  const stop = new AbortController();
  const release = io.onInterrupt(async () => {
    stop.abort("user_initiated");
    await opened.close();
  });
  try {
    await opened.agent.session.settled(AbortSignal.timeout(readTimeout(args)));
    const { agent } = opened;
    const { signal } = stop;
    const end = await (prompt === null
      ? follow(input, opened, format, () => goOn(opened, signal))
      : sendSaid(agent.session, readCommand(prompt, agent.session.config), (said) =>
          follow(input, opened, format, () => agent.run(said, { attachments, limits, signal })),
        ));
    if (file !== null) await writeExport(input, opened, file);
    if (end.stopReason === "aborted") await new Promise<never>(() => {});
    return isDone(end) ? 0 : 1;
  } catch (error) {
    if (error instanceof ModelError) throw new ToolcribError("model.failed", error.message);
    throw opened.isKept ? withWayOn(error, opened.agent.session.id) : error;
  } finally {
    release();
    await opened.close();
  }
}

/** What a kept session that lost its store has stored is there once the store is back. */
export function withWayOn(error: unknown, id: string): unknown {
  if (!isToolcribError(error) || error.code !== "store.unavailable") return error;
  const text = `${error.message}; once the store is back, toolcrib run --resume ${id} goes on with the session`;
  return new ToolcribError(error.code, text);
}

/** What a prompt command says; a slip of its name is no prompt, and a path is. */
function readCommand(said: string, config: Config): SaidPrompt {
  const { commands } = config;
  const name = commandName(said);
  const isSlip = name !== null && namedPrompt(said, commands) === undefined;
  const near = isSlip ? nearestNames(name, commands.keys(), 1)[0] : undefined;
  if (near === undefined) return readSaid(said, config);
  throw usage(`there is no command /${name}; did you mean /${near}?`);
}

type Format = (typeof RUN_FORMATS)[number];

function readFormat({ args }: CommandInput): Format {
  const given = args.value("format");
  if (given !== null) return parseWord("--format", given, RUN_FORMATS);
  return args.has("json") ? "json" : "text";
}

async function follow(
  { io }: CommandInput,
  { agent }: TerminalAgent,
  format: Format,
  start: () => ReturnType<TerminalAgent["agent"]["run"]>,
): Promise<RunEnd> {
  const show = createRunView(io, agent.session);
  const run = start();
  for await (const event of run) {
    if (format === "text") show(event);
    if (format === "stream-json") io.out(`${JSON.stringify(event)}\n`);
  }
  const end = await run;
  if (format === "json") io.out(toJson({ session: agent.session.id, ...end }, io.isTTY));
  if (format === "text") showEnd(io, end);
  return end;
}

/** The operands, or what is piped in; null where a session is to go on with what was cut. */
async function readPrompt({ io, args }: CommandInput): Promise<string | null> {
  const said = args.operands.join(" ").trim();
  if (said !== "" && said !== "-") return said;
  const goesOn = args.has("resume") || args.has("continue");
  if (io.canAsk && goesOn) return null;
  if (io.canAsk) throw usage('run needs a prompt: toolcrib run "What does this project do?"');
  const piped = (await io.readInput("end")).trim();
  if (piped !== "") return piped;
  if (goesOn) return null;
  throw usage("run needs a prompt, as an argument or on standard input");
}

/** The run that its last process never ended, with the questions that are still open. */
function goOn({ agent }: TerminalAgent, signal: AbortSignal): ReturnType<TerminalAgent["agent"]["run"]> {
  const run = agent.goOn();
  if (run === null) throw usage("nothing was cut in this session: say what to go on with");
  signal.addEventListener("abort", () => void agent.abort("user_initiated"), { once: true });
  return run;
}

/** Known to be of use before the run costs anything. */
async function readExport({ io, args }: CommandInput): Promise<string | null> {
  const file = args.value("export");
  if (file === null) return null;
  const { formatOfFile } = await import("../stored/export-events.ts");
  formatOfFile(file);
  if (existsSync(resolve(io.cwd, file))) throw usage(`--export: ${file} exists; name a new file`);
  return file;
}

async function writeExport({ io }: CommandInput, { agent, events }: TerminalAgent, file: string): Promise<void> {
  const { exportEvents } = await import("../stored/export-events.ts");
  const { id, config } = agent.session;
  io.err(`toolcrib: the session is written to ${await exportEvents(id, await events(), file, io.cwd, config)}\n`);
}

const FILE_TYPES: ReadonlyMap<string, string> = new Map([
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["gif", "image/gif"],
  ["webp", "image/webp"],
  ["pdf", "application/pdf"],
]);
const LARGEST_FILE = 20 * 1024 * 1024;

/** Pictures and documents go as they are, everything else as text under its name. */
async function readAttachment(path: string): Promise<UserPart> {
  const name = basename(path);
  const data = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === "ENOENT" ? "there is no such file" : error.message;
    throw usage(`--attach: ${path} cannot be read: ${why}`);
  });
  if (data.length > LARGEST_FILE) throw usage(`--attach: ${name} has more than 20 MB`);
  const mimeType = FILE_TYPES.get(name.slice(name.lastIndexOf(".") + 1).toLowerCase());
  if (mimeType !== undefined) return { type: "file", mimeType, data: data.toString("base64"), name };
  if (data.includes(0)) throw usage(`--attach: ${name} is neither text nor a picture nor a PDF document`);
  return { type: "text", text: `<file name="${name}">\n${data.toString("utf8")}\n</file>` };
}
