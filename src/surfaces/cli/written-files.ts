import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { stateFolder } from "../../config/layers/state-folder.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { writeWhole } from "../../system/files/write-whole.ts";
import type { CommandInput } from "./command.ts";
import { readText } from "./edit-target.ts";
import { keyOfHere } from "./running/find-running.ts";

export interface WrittenFile {
  readonly path: string;
  /** Null: it was not there. */
  readonly before: string | null;
  readonly after: string;
}

/** Writes all of them or none, and keeps what was there before for `--undo`. */
export async function applyChanges(input: CommandInput, changes: readonly WrittenFile[]): Promise<void> {
  if (changes.length === 0) return;
  const record = await recordPath(input);
  await mkdir(dirname(record), { recursive: true, mode: 0o700 });
  await writeWhole(record, `${JSON.stringify(changes)}\n`, 0o600);
  const done: WrittenFile[] = [];
  try {
    for (const change of changes) {
      await writeWhole(change.path, change.after);
      done.push(change);
    }
  } catch (error) {
    for (const change of done) await putBack(change);
    await rm(record, { force: true });
    throw error;
  }
}

/** Puts back what was changed last; refuses whole when somebody has changed one of the files since. */
export async function undoChanges(input: CommandInput): Promise<readonly string[]> {
  const record = await recordPath(input);
  const text = await readText(record);
  if (text === null) throw new ToolcribError("file.not-written", "nothing was written here that could be put back");
  const changes = JSON.parse(text) as readonly WrittenFile[]; // Only `applyChanges` writes it.
  for (const { path, after } of changes)
    if ((await readText(path)) !== after) {
      const why = `${path} has been changed since, so nothing is put back; what was there before is in ${record}`;
      throw new ToolcribError("file.not-written", why, { names: [path] });
    }
  for (const change of changes) await putBack(change);
  await rm(record, { force: true });
  return changes.map(({ path }) => path);
}

async function putBack({ path, before }: WrittenFile): Promise<void> {
  if (before === null) await rm(path, { force: true });
  else await writeWhole(path, before);
}

async function recordPath(input: CommandInput): Promise<string> {
  const { places, key } = await keyOfHere(input);
  return join(stateFolder(places), "written", `${key}.json`);
}
