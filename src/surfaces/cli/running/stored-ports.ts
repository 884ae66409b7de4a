import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileReaders } from "../../../config/layers/readers.ts";
import { stateFolder } from "../../../config/layers/state-folder.ts";
import { isRecord } from "../../../core/shape/is-record.ts";
import { parseJson } from "../../../core/shape/parse-json.ts";
import { oneAtATime } from "../../../system/files/one-at-a-time.ts";
import { writeWhole } from "../../../system/files/write-whole.ts";
import { isAlive } from "../../../system/process/is-alive.ts";
import { type NotePlaces, readNotes } from "./running-note.ts";

/** Which port belongs to which workspace, by its key: what clients were given stays where it is. */
export async function readPorts(places: NotePlaces): Promise<ReadonlyMap<string, number>> {
  const text = await fileReaders.readText(pathOf(places)).catch(() => null);
  const value = parseJson(text ?? "{}");
  const entries = isRecord(value) ? Object.entries(value) : [];
  return new Map(entries.filter((entry): entry is [string, number] => isPort(entry[1])));
}

/** It is no failure when that cannot be kept: the next start chooses again. */
export async function keepPort(places: NotePlaces, key: string, port: number): Promise<void> {
  try {
    await mkdir(dirname(pathOf(places)), { recursive: true, mode: 0o700 });
    await oneAtATime(pathOf(places), async () => {
      const ports = new Map([...(await readPorts(places))].filter(([, other]) => other !== port));
      const next = Object.fromEntries([...ports, [key, port]]);
      await writeWhole(pathOf(places), `${JSON.stringify(next, null, 2)}\n`, 0o600);
    });
  } catch {
    return;
  }
}

/** The Toolcrib that listens on a port, if one of this person's does. */
export async function findPortOwner(places: NotePlaces, port: number) {
  for (const note of (await readNotes(places)).values())
    if (note.port === port && isAlive(note.pid)) return { workspace: note.workspace, pid: note.pid };
  return null;
}

function pathOf(places: NotePlaces): string {
  return join(stateFolder(places), "ports.json");
}

function isPort(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && value > 0 && value <= 65_535;
}
