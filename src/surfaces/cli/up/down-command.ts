import { setTimeout as pass } from "node:timers/promises";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { isAlive } from "../../../system/process/is-alive.ts";
import { writeLines } from "../../../system/text/escape-text.ts";
import type { CommandInput } from "../command-line/command.ts";
import { printAnswer } from "../command-line/print-answer.ts";
import { keyOfAsked, reach } from "../running/find-running.ts";
import { type NotePlaces, type RunningNote, readNotes, readRunningNote } from "../running/running-note.ts";
import { shownFolder } from "../terminal/shown-file.ts";

const PATIENCE = 15_000;
const BETWEEN = 50;

/** `toolcrib down`: ends what runs for this workspace, or everything. Status 1 when nothing did. */
export async function runDown(input: CommandInput): Promise<number> {
  const { args } = input;
  const { places, key } = await keyOfAsked(input);
  const notes = args.has("all") ? await readNotes(places) : await readOne(places, key);
  const ended: RunningNote[] = [];
  for (const [each, note] of notes) if (await end(places, each, note)) ended.push(note);
  if (ended.length === 0 && !args.has("json"))
    throw new ToolcribError(
      "up.not-running",
      args.has("all") ? "no Toolcrib runs" : "no Toolcrib runs for this workspace; --all ends all",
    );
  printAnswer(input, { ended: ended.map(({ workspace, pid }) => ({ workspace, pid })) }, () =>
    writeLines(
      ended.map(({ workspace, pid }) => `Ended Toolcrib for ${shownFolder(workspace, input.io)} (process ${pid}).`),
    ),
  );
  return ended.length === 0 ? 1 : 0;
}

async function readOne(places: NotePlaces, key: string): Promise<ReadonlyMap<string, RunningNote>> {
  const note = await readRunningNote(places, key);
  return new Map(note === null ? [] : [[key, note]]);
}

/** In peace, and where it does not answer by a signal. False: it had ended already. */
async function end(places: NotePlaces, key: string, { pid }: RunningNote): Promise<boolean> {
  const reached = await reach(places, key, { ask: "end" }).catch(() => "silent" as const);
  if (reached === null) return false;
  if (reached === "silent") process.kill(pid, "SIGTERM");
  else reached.socket.destroy();
  for (const until = performance.now() + PATIENCE; performance.now() < until; await pass(BETWEEN))
    if (!isAlive(pid)) return true;
  throw new ToolcribError("up.silent", `process ${pid} does not end; "kill -9 ${pid}" ends it at once`);
}
