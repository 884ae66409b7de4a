import type { SessionEvent, StoredEvent } from "../../../core/events/envelope.ts";
import { toStored } from "../../../core/events/envelope.ts";
import type { Store } from "../../../runtime/store/store.ts";
import { untilAborted } from "../../../system/time/until-aborted.ts";
import { withTimeout } from "../../../system/time/with-timeout.ts";
import type { CopilotEvent } from "../wire/copilot-event.ts";
import type { Live } from "./live.ts";
import { filesOf } from "./state-files.ts";

const JOURNAL = "toolcrib-journal.jsonl";
const EVENTS = "events.jsonl";

/** Writes what happens into the client's own files, in order; `finishWriting` waits until all of it is there. */
export function keepEvent(live: Live, event: SessionEvent): void {
  const stored = live.server.files === null ? null : toStored(event);
  if (stored !== null) later(live, JOURNAL, `${JSON.stringify(stored)}\n`);
}

export function keepSaid(live: Live, event: CopilotEvent): void {
  if (live.server.files !== null) later(live, EVENTS, `${JSON.stringify(event)}\n`);
}

/** Lines that wait, by the file they belong to. */
const unwritten = new WeakMap<Live, Map<string, string>>();

/** Characters that may wait for a client which does not write them. */
const MOST_UNWRITTEN = 32 * 1024 * 1024;

/** One write at a time, which takes all that has come for its file. */
function later(live: Live, name: string, line: string): void {
  const waiting = unwritten.get(live) ?? new Map<string, string>();
  unwritten.set(live, waiting);
  const before = waiting.get(name);
  const text = `${before ?? ""}${line}`;
  waiting.set(name, text);
  if (text.length > MOST_UNWRITTEN) live.server.files?.connection.cut("it does not write the files of its sessions");
  if (before !== undefined) return;
  const files = filesOf(live);
  live.written = live.written
    .then(() => {
      const all = waiting.get(name) ?? "";
      waiting.delete(name);
      return files.append(files.path(name), all);
    })
    .catch((error: unknown) => {
      live.server.note(`the client's files cannot be written: ${String(error)}`);
    });
}

/** Milliseconds that a client has to write what it was given, when its session ends. */
const WRITING_PATIENCE = 10_000;

/** Waits until everything is written, but for no client for ever: what it still has to write it may write later. */
export async function finishWriting({ id, written, server: { around, over, note } }: Live): Promise<void> {
  const told = (): void => note(`session ${id} has ended before its client wrote all of its files`);
  await withTimeout(around.clock, WRITING_PATIENCE, over, (signal) => untilAborted(written, signal, told));
}

/** What other programs look for in the folder of a session. */
export async function writeMarks(live: Live): Promise<void> {
  if (live.server.files === null) return;
  const files = filesOf(live);
  await files.write(files.path("workspace.yaml"), `id: ${live.id}\ncwd: ${JSON.stringify(live.cwd)}\n`);
  await files.write(files.path("checkpoints", "index.md"), "# Checkpoints\n");
}

/** Takes a journal out of the client's files into the store of this process; false where there is none. */
export async function restore(live: Live, store: Store): Promise<boolean> {
  if (live.server.files === null) return false;
  const files = filesOf(live);
  const text = await files.read(files.path(JOURNAL));
  if (text === null) return false;
  const events = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line): StoredEvent => JSON.parse(line));
  const journal = await store.create({ id: live.id, person: "", project: live.cwd });
  await journal.append(events);
  await journal.release();
  return true;
}

/** The whole conversation as a file, for hooks that want to read it. */
export async function writeTranscript(live: Live): Promise<string> {
  const files = filesOf(live);
  const path = files.path(EVENTS);
  if (live.server.files === null)
    await files.write(path, live.log.map((event) => `${JSON.stringify(event)}\n`).join(""));
  return path;
}
