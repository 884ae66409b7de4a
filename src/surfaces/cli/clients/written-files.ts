import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { stateFolder } from "../../../config/layers/state-folder.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { writeWhole } from "../../../system/files/write-whole.ts";
import type { CommandInput } from "../command-line/command.ts";
import { readOptionalFile } from "../configuration/edit-target.ts";
import { keyOfHere } from "../running/find-running.ts";

export interface WrittenFile {
  readonly path: string;
  /** Null: it was not there. */
  readonly before: string | null;
  readonly after: string;
  /** For the person alone. */
  readonly isPrivate?: boolean;
}

/** Writes all of them or none, and keeps what was there before the first time for `--undo`. */
export async function applyChanges(input: CommandInput, changes: readonly WrittenFile[]): Promise<void> {
  if (changes.length === 0) return;
  const record = await recordPath(input);
  const earlier = await readRecord(record);
  await mkdir(dirname(record), { recursive: true, mode: 0o700 });
  await writeWhole(record, `${JSON.stringify(joined(earlier, changes))}\n`, 0o600);
  const done: WrittenFile[] = [];
  try {
    for (const change of changes) {
      await write(change, change.after);
      done.push(change);
    }
  } catch (error) {
    for (const change of done) await putBack(change);
    if (earlier.length === 0) await rm(record, { force: true });
    else await writeWhole(record, `${JSON.stringify(earlier)}\n`, 0o600);
    throw error;
  }
}

/** A file that was written twice, and by nobody else in between, goes back to what it was at first. */
function joined(earlier: readonly WrittenFile[], changes: readonly WrittenFile[]): readonly WrittenFile[] {
  const paths = new Set(changes.map(({ path }) => path));
  return [
    ...earlier.filter(({ path }) => !paths.has(path)),
    ...changes.map((change) => {
      const first = earlier.find(({ path, after }) => path === change.path && after === change.before);
      return { ...change, before: first === undefined ? change.before : first.before };
    }),
  ];
}

/** What became of each file. */
export interface Undone {
  readonly restored: readonly string[];
  /** Somebody has changed these since: what was written was taken out, and what was moved is back. */
  readonly merged: readonly string[];
  /** Nobody can say what to take out of these, so they stay as they are now. */
  readonly kept: readonly string[];
}

/** Puts back all that was changed. `merge` is what a client's file that has changed since becomes; null: it stays. */
export async function undoChanges(
  input: CommandInput,
  merge: (now: string, change: WrittenFile) => Promise<string | null>,
): Promise<Undone> {
  const record = await recordPath(input);
  const changes = await readRecord(record);
  if (changes.length === 0)
    throw new ToolcribError("file.not-written", "nothing was written here that could be put back");
  const undone = { restored: [] as string[], merged: [] as string[], kept: [] as string[] };
  for (const change of changes) {
    const { path } = change;
    const now = await readOptionalFile(path);
    const merged = now === null || now === change.after ? null : await merge(now, change);
    if (merged !== null) await writeWhole(path, merged);
    else if (now === null || now === change.after) await putBack(change);
    undone[merged !== null ? "merged" : now === null || now === change.after ? "restored" : "kept"].push(path);
  }
  await rm(record, { force: true });
  return undone;
}

async function readRecord(record: string): Promise<readonly WrittenFile[]> {
  const text = await readOptionalFile(record);
  return text === null ? [] : (JSON.parse(text) as readonly WrittenFile[]); // Only `applyChanges` writes it.
}

async function putBack(change: WrittenFile): Promise<void> {
  if (change.before === null) await rm(change.path, { force: true });
  else await write(change, change.before);
}

function write({ path, isPrivate = false }: WrittenFile, text: string): Promise<void> {
  return writeWhole(path, text, isPrivate ? 0o600 : undefined);
}

async function recordPath(input: CommandInput): Promise<string> {
  const { places, key } = await keyOfHere(input);
  return join(stateFolder(places), "written", `${key}.json`);
}
