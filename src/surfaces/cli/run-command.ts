import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import type { UserPart } from "../../core/call/message.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { RunEnd } from "../../runtime/loop/run-loop.ts";
import { ModelError } from "../../runtime/models/model-error.ts";
import type { TerminalAgent } from "./agent-session.ts";
import { parseWord, usage } from "./arguments.ts";
import type { CommandInput } from "./command.ts";
import { toJson } from "./escape-text.ts";
import { openKeptAgent } from "./kept-agent.ts";
import { readTimeout } from "./number-options.ts";
import { RUN_FORMATS } from "./options.ts";
import { readLimits } from "./run-limits.ts";
import { createRunView, isDone, showEnd } from "./show-run.ts";

/** `toolcrib run PROMPT`: one run to its end. Status 0: the model was done; 1: something else ended it. */
export async function runRun(input: CommandInput): Promise<number> {
  const { io, args } = input;
  const limits = readLimits(input);
  const format = readFormat(input);
  const prompt = await readPrompt(input);
  const attachments = await Promise.all(args.values("attach").map((path) => readAttachment(resolve(io.cwd, path))));
  const opened = await openKeptAgent(input);
  const stop = new AbortController();
  const release = io.onInterrupt(async () => {
    stop.abort("user_initiated");
    await opened.close();
  });
  try {
    await opened.agent.session.settled(AbortSignal.timeout(readTimeout(args)));
    const end = await follow(input, opened, format, () =>
      opened.agent.run(prompt, { attachments, limits, signal: stop.signal }),
    );
    if (end.stopReason === "aborted") await new Promise<never>(() => {});
    return isDone(end) ? 0 : 1;
  } catch (error) {
    if (error instanceof ModelError) throw new ToolcribError("model.failed", error.message);
    throw error;
  } finally {
    release();
    await opened.close();
  }
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
  const show = createRunView(io);
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

/** The operands, and behind them what is piped in. */
async function readPrompt({ io, args }: CommandInput): Promise<string> {
  const said = args.operands.join(" ").trim();
  if (said !== "" && said !== "-") return said;
  if (io.canAsk) throw usage('run needs a prompt: toolcrib run "What does this project do?"');
  const piped = (await io.readInput("end")).trim();
  if (piped === "") throw usage("run needs a prompt, as an argument or on standard input");
  return piped;
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
  const data = await readFile(path).catch((error: Error) => {
    throw usage(`--attach: ${path} cannot be read: ${error.message}`);
  });
  if (data.length > LARGEST_FILE) throw usage(`--attach: ${name} has more than 20 MB`);
  const mimeType = FILE_TYPES.get(name.slice(name.lastIndexOf(".") + 1).toLowerCase());
  if (mimeType !== undefined) return { type: "file", mimeType, data: data.toString("base64"), name };
  if (data.includes(0)) throw usage(`--attach: ${name} is neither text nor a picture nor a PDF document`);
  return { type: "text", text: `<file name="${name}">\n${data.toString("utf8")}\n</file>` };
}
