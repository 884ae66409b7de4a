import { mkdir, rm, rmdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { oneAtATime } from "../../../system/files/one-at-a-time.ts";
import { toNotWritten, writeWhole } from "../../../system/files/write-whole.ts";
import { readOptionalFile } from "./edit-target.ts";

export interface WrittenFile {
  readonly path: string;
  /** Null: it was not there. */
  readonly before: string | null;
  readonly after: string;
  /** Of a new file; one that is there keeps its own, unless this is for the person alone. */
  readonly mode?: number;
  /** Folders that were not there either, the innermost first. */
  readonly folders?: readonly string[];
}

/**
 * Works out changes and writes all of them or none, and keeps in the file `record` what was there before the first time. No other
 * process that uses this record does so meanwhile.
 */
export async function applyChanges<T extends Planned>(
  record: string,
  plan: () => Promise<T>,
  folderMode = 0o700,
): Promise<T> {
  await makeFolder(dirname(record), folderMode);
  return oneAtATime(record, async () => {
    const planned = await plan();
    const changes = await Promise.all(planned.changes.map(withFolders));
    if (changes.length > 0) await writeAll(record, changes);
    return planned;
  });
}

interface Planned {
  readonly changes: readonly WrittenFile[];
}

/** Notes a change that another program has made for this one. */
export function noteChange(record: string, change: WrittenFile): Promise<void> {
  return oneAtATime(record, async () => writeRecord(record, joined(await readRecord(record), [change])));
}

async function writeAll(record: string, changes: readonly WrittenFile[]): Promise<void> {
  const earlier = await readRecord(record);
  await writeRecord(record, joined(earlier, changes));
  const done: WrittenFile[] = [];
  try {
    for (const change of changes) {
      await writeWhole(change.path, change.after, change.mode);
      done.push(change);
    }
  } catch (error) {
    for (const change of done) await putBack(change);
    await writeRecord(record, earlier);
    throw error;
  }
}

async function makeFolder(path: string, mode: number): Promise<void> {
  await mkdir(path, { recursive: true, mode }).catch((error: unknown) => {
    throw toNotWritten(path, error);
  });
}

async function writeRecord(record: string, changes: readonly WrittenFile[]): Promise<void> {
  if (changes.length === 0) await rm(record, { force: true });
  else await writeWhole(record, `${JSON.stringify(changes)}\n`, 0o600);
}

async function withFolders(change: WrittenFile): Promise<WrittenFile> {
  if (change.before !== null) return change;
  const folders: string[] = [];
  for (let folder = dirname(change.path); (await stat(folder).catch(() => null)) === null; folder = dirname(folder))
    folders.push(folder);
  return folders.length === 0 ? change : { ...change, folders };
}

/** A file that was written twice, and by nobody else in between, goes back to what it was at first. */
function joined(earlier: readonly WrittenFile[], changes: readonly WrittenFile[]): readonly WrittenFile[] {
  const paths = new Set(changes.map(({ path }) => path));
  return [
    ...earlier.filter(({ path }) => !paths.has(path)),
    ...changes.map((change) => {
      const first = earlier.find(({ path, after }) => path === change.path && after === change.before);
      if (first === undefined) return change;
      const { folders: _, ...now } = change;
      return { ...now, before: first.before, ...(first.folders === undefined ? {} : { folders: first.folders }) };
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

/** What a client's file that has changed since becomes: a text, or null where nothing is left. Null instead: it stays. */
export type Merge = (now: string, change: WrittenFile) => Promise<{ readonly text: string | null } | null>;

/** Puts back all that was changed. */
export async function undoChanges(record: string, merge: Merge): Promise<Undone> {
  const changes = await readRecord(record);
  if (changes.length === 0)
    throw new ToolcribError("file.not-written", "nothing was written here that could be put back");
  const undone = { restored: [] as string[], merged: [] as string[], kept: [] as string[] };
  for (const change of changes) undone[await undoChange(change, merge)].push(change.path);
  await rm(record, { force: true });
  return undone;
}

/** Puts one file back. */
export async function undoChange(change: WrittenFile, merge: Merge): Promise<keyof Undone> {
  const { path } = change;
  const now = await readOptionalFile(path);
  if (now === null || now === change.after) {
    await putBack(change);
    return "restored";
  }
  const merged = await merge(now, change);
  if (merged === null) return "kept";
  if (merged.text === null) await putBack({ ...change, before: null });
  else await writeWhole(path, merged.text);
  return "merged";
}

/** What was written and not put back, the oldest first. */
export async function readRecord(record: string): Promise<readonly WrittenFile[]> {
  const text = await readOptionalFile(record);
  return text === null ? [] : (JSON.parse(text) as readonly WrittenFile[]); // Only `applyChanges` writes it.
}

/** Takes these files off the record. */
export async function forgetChanges(record: string, paths: ReadonlySet<string>): Promise<void> {
  await writeRecord(
    record,
    (await readRecord(record)).filter(({ path }) => !paths.has(path)),
  );
}

async function putBack({ path, before, mode, folders = [] }: WrittenFile): Promise<void> {
  if (before !== null) return writeWhole(path, before, mode);
  await rm(path, { force: true });
  for (const folder of folders) if (!(await removeEmpty(folder))) return;
}

/** False if it is in use by now. */
function removeEmpty(folder: string): Promise<boolean> {
  return rmdir(folder).then(
    () => true,
    () => false,
  );
}
