import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { stateFolder } from "../../../config/layers/state-folder.ts";
import { isRecord } from "../../../core/shape/is-record.ts";
import { parseJson } from "../../../core/shape/parse-json.ts";

export type NotePlaces = Parameters<typeof stateFolder>[0];

/** A running Toolcrib, as other commands find it. */
export interface RunningNote {
  readonly pid: number;
  readonly workspace: string;
  /** What it runs for is a project, and not a person's configuration alone. */
  readonly isProject: boolean;
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly started: number;
  readonly socket: string;
  /** The secret that only those who may read this note know. */
  readonly secret: string;
  /** Where it answers over HTTP; null where it does not. */
  readonly origin: string | null;
  /** Which port is its own in that address. */
  readonly port: number | null;
}

/** Where notes and locks of running Toolcribs lie. */
export function notesFolder(places: NotePlaces): string {
  return join(stateFolder(places), "running");
}

/** Whole or not at all; returns how to take it back. */
export async function writeNote(places: NotePlaces, key: string, note: RunningNote): Promise<() => Promise<void>> {
  const path = join(notesFolder(places), `${key}.json`);
  // Loaded here, for those who ask only read.
  const { writeWhole } = await import("../../../system/files/write-whole.ts");
  await writeWhole(path, `${JSON.stringify(note)}\n`, 0o600);
  return async () => {
    // Another one may have taken the place of a note that was thought to be left behind.
    if ((await readRunningNote(places, key))?.secret === note.secret)
      await rm(path, { force: true }).catch(() => undefined);
  };
}

/** Null where there is none that can be read; whether its process still runs is another question. */
export async function readRunningNote(places: NotePlaces, key: string): Promise<RunningNote | null> {
  return parseNote(await readFile(join(notesFolder(places), `${key}.json`), "utf8").catch(() => ""));
}

/** Every note, by its key. */
export async function readNotes(places: NotePlaces): Promise<ReadonlyMap<string, RunningNote>> {
  const names = await readdir(notesFolder(places)).catch(() => []);
  const notes = new Map<string, RunningNote>();
  for (const name of names.sort()) {
    const [, key] = /^([0-9a-f]{32})\.json$/.exec(name) ?? [];
    const note = key === undefined ? null : await readRunningNote(places, key);
    if (key !== undefined && note !== null) notes.set(key, note);
  }
  return notes;
}

function parseNote(text: string): RunningNote | null {
  const value = parseJson(text);
  if (!isRecord(value)) return null;
  const { pid, workspace, isProject, version, started, socket, secret, origin, port } = value;
  if (typeof pid !== "number" || typeof workspace !== "string" || typeof started !== "number") return null;
  if (typeof version !== "string" || typeof socket !== "string" || typeof secret !== "string") return null;
  return {
    ...{ pid, workspace, version, started, socket, secret },
    isProject: isProject === true,
    origin: typeof origin === "string" ? origin : null,
    port: typeof port === "number" ? port : null,
  };
}
