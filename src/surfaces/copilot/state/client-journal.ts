import type { SessionEvent, StoredEvent } from "../../../core/events/envelope.ts";
import { toStored } from "../../../core/events/envelope.ts";
import type { Store } from "../../../runtime/store/store.ts";
import { untilAborted } from "../../../system/time/until-aborted.ts";
import { withTimeout } from "../../../system/time/with-timeout.ts";
import type { CopilotEvent, EventLog } from "./event-log.ts";
import { EVENTS_FILE, type FileOwner, filesOf } from "./session-files.ts";

const JOURNAL = "toolcrib-journal.jsonl";

/** Writes what happens into the client's own files, in order; `finishWriting` waits until all of it is there. */
export function writeEvent(owner: FileOwner, log: EventLog, event: SessionEvent): void {
  const stored = owner.server.files === null ? null : toStored(event);
  if (stored !== null) later(owner, log, JOURNAL, stored);
}

export function writeClientEvent(owner: FileOwner, log: EventLog, event: CopilotEvent): void {
  if (owner.server.files !== null) later(owner, log, EVENTS_FILE, event);
}

/** Characters that may wait for a client which does not write them. */
const MOST_UNWRITTEN = 32 * 1024 * 1024;

/** One write at a time, which takes all that has come for its file. */
function later(owner: FileOwner, log: EventLog, name: string, line: object): void {
  const { unwritten } = log;
  const before = unwritten.get(name);
  const text = `${before ?? ""}${JSON.stringify(line)}\n`;
  unwritten.set(name, text);
  if (text.length > MOST_UNWRITTEN) owner.server.files?.connection.cut("it does not write the files of its sessions");
  if (before !== undefined) return;
  const files = filesOf(owner);
  log.written = log.written
    .then(() => {
      const all = unwritten.get(name) ?? "";
      unwritten.delete(name);
      return files.append(files.path(name), all);
    })
    .catch((error: unknown) => owner.server.note(`the client's files cannot be written: ${String(error)}`));
}

/** Milliseconds that a client has to write what it was given, when its session ends. */
const WRITING_PATIENCE = 10_000;

/** Waits until everything is written, but not for ever: what a client still has to write it may write later. */
export async function finishWriting(
  { id, server: { around, over, note } }: FileOwner,
  { written }: EventLog,
): Promise<void> {
  const late = (): void => note(`session ${id} has ended before its client wrote all of its files`);
  await withTimeout(around.clock, WRITING_PATIENCE, over, (signal) => untilAborted(written, signal, late));
}

/** What other programs look for in the folder of a session. */
export async function writeMarks(owner: FileOwner, cwd: string): Promise<void> {
  if (owner.server.files === null) return;
  const files = filesOf(owner);
  await files.write(files.path("workspace.yaml"), `id: ${owner.id}\ncwd: ${JSON.stringify(cwd)}\n`);
  await files.write(files.path("checkpoints", "index.md"), "# Checkpoints\n");
}

/** Takes a journal out of the client's files into the store of this process; false where there is none. */
export async function restore(owner: FileOwner, cwd: string, store: Store): Promise<boolean> {
  if (owner.server.files === null) return false;
  const files = filesOf(owner);
  const text = await files.read(files.path(JOURNAL));
  if (text === null) return false;
  const lines = text.split("\n").filter((line) => line !== "");
  const journal = await store.create({ id: owner.id, person: "", project: cwd });
  await journal.append(lines.map((line): StoredEvent => JSON.parse(line)));
  await journal.release();
  return true;
}
