import { chmod, open, readdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isRecord } from "../../core/shape/is-record.ts";
import { parseJson } from "../../core/shape/parse-json.ts";
import { writeWhole } from "../../system/files/write-whole.ts";
import { isTooDeep } from "../../system/text/json-depth.ts";

/** What a server reported about itself when it last ran. Untrusted, like all text of servers. */
interface ServerMemory {
  /** Its tools as it sent them. */
  readonly tools: readonly unknown[];
  readonly instructions: string | null;
  /** What it declared that it can do beside tools; absent if that was not stored. */
  readonly capabilities?: Readonly<Record<string, unknown>>;
}

/** The same, with each tool as JSON, for callers that have the JSON already. */
interface WrittenMemory {
  readonly tools: readonly string[];
  readonly instructions: string | null;
  readonly capabilities?: Readonly<Record<string, unknown>> | null;
}

/** Stores that from one start to the next. */
export interface StoredList {
  /** What was stored when the source was opened; null if nothing usable was. */
  readonly earlier: ServerMemory | null;
  /** Stores it for the next start. Never fails: without a file, the next start just has no list to show. */
  save(memory: WrittenMemory): void;
  /** Resolves once everything is written. */
  close(): Promise<void>;
}

/** Larger lists are not stored: reading them would delay the start that they are meant to speed up. */
export const MOST_BYTES = 4 * 1024 * 1024;
/** How many lists are kept, more than one machine has servers; entries are changed and removed over time. */
export const MOST_LISTS = 1_000;
const VERSION = 1;

/** The list in that file, which only the owner can read. A broken file counts as none. */
export async function openStoredList(path: string): Promise<StoredList> {
  const text = await readBounded(path);
  /** Undefined while the content of the file is unknown. */
  let written: string | null | undefined = text ?? undefined;
  let writing: Promise<void> = Promise.resolve();
  return {
    earlier: text === null ? null : toMemory(text),
    save(memory) {
      const next = isSmall(memory.tools) ? toText(memory) : null;
      if (next === written) return;
      written = next;
      writing = writing.then(() => (next === null ? rm(path, { force: true }) : write(path, next))).catch(() => {});
    },
    close: () => writing,
  };
}

/** Judged without encoding it: a character takes at least a byte. */
function isSmall(tools: readonly string[]): boolean {
  return tools.reduce((sum, { length }) => sum + length, 0) <= MOST_BYTES;
}

function toText({ tools, instructions, capabilities = null }: WrittenMemory): string | null {
  const able = capabilities === null ? "" : `,"capabilities":${JSON.stringify(capabilities)}`;
  const text = `{"version":${VERSION},"instructions":${JSON.stringify(instructions)}${able},"tools":[${tools.join(",")}]}`;
  return Buffer.byteLength(text) <= MOST_BYTES ? text : null;
}

async function readBounded(path: string): Promise<string | null> {
  const file = await open(path).catch(() => null);
  if (file === null) return null;
  try {
    const { size, mode } = await file.stat();
    if (size > MOST_BYTES) return null;
    // A restored backup may have made it readable for everybody.
    if (mode & 0o077) await chmod(path, 0o600).catch(() => undefined);
    return await file.readFile("utf8");
  } catch {
    return null;
  } finally {
    await file.close();
  }
}

function toMemory(text: string): ServerMemory | null {
  const value = isTooDeep(text) ? null : parseJson(text);
  if (!isRecord(value) || value.version !== VERSION || !Array.isArray(value.tools)) return null;
  const { tools, instructions, capabilities } = value;
  const able = isRecord(capabilities) ? { capabilities } : {};
  return { tools, instructions: typeof instructions === "string" ? instructions : null, ...able };
}

async function write(path: string, text: string): Promise<void> {
  await writeWhole(path, text, 0o600);
  await pruneSoon(dirname(path));
}

/** Folders that will be pruned once the one before is. */
const due = new Map<string, Promise<void>>();
let pruning: Promise<void> = Promise.resolve();

/** At a start many lists are written in the same moment, and looking through the folder once serves them all. */
function pruneSoon(folder: string): Promise<void> {
  const known = due.get(folder);
  if (known !== undefined) return known;
  pruning = pruning.then(() => {
    due.delete(folder);
    return prune(folder).catch(() => {});
  });
  due.set(folder, pruning);
  return pruning;
}

/** Deletes the oldest lists if there are too many. */
async function prune(folder: string): Promise<void> {
  const names = await readdir(folder);
  if (names.length <= MOST_LISTS) return;
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      return { path, at: (await stat(path).catch(() => null))?.mtimeMs ?? 0 };
    }),
  );
  files.sort((one, other) => one.at - other.at);
  await Promise.all(files.slice(0, files.length - MOST_LISTS).map(({ path }) => rm(path, { force: true })));
}
