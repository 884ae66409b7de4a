import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isRecord } from "../../core/shape/is-record.ts";
import { parseJson } from "../../core/shape/parse-json.ts";
import type { StoredLogBody } from "../store/stored-log.ts";

/** Milliseconds of bodies that share a file. */
const SEGMENT = 5_000;
/** Milliseconds after which nobody writes to a file any longer. */
const SETTLED = SEGMENT + 3_000;

/** Where the bodies of a log wait, beside it. */
export function spoolFolder(path: string): string {
  return `${path}.bodies`;
}

/** The file that bodies are written to now: a writer only appends, and never comes back to an earlier one. */
export function segmentPath(folder: string, run: string): string {
  return join(folder, `${Math.floor(Date.now() / SEGMENT)}-${run}.jsonl`);
}

/** The bodies of each file that is complete, oldest first; of all files where they are the last. */
export async function* readSpool(
  folder: string,
  { isLast = false }: { readonly isLast?: boolean } = {},
): AsyncGenerator<{ readonly bodies: readonly StoredLogBody[]; readonly remove: () => Promise<void> }, void, void> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".jsonl")).sort();
  for (const name of names) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => null);
    if (found === null || !(isLast || Date.now() - found.mtimeMs > SETTLED)) continue;
    const lines = (await readFile(path, "utf8").catch(() => "")).split("\n");
    const bodies = lines.map((line) => parseJson(line)).filter(isBody);
    yield { bodies, remove: () => rm(path, { force: true }) };
  }
}

function isBody(value: unknown): value is StoredLogBody {
  if (!isRecord(value)) return false;
  const { run, seq, at, person, sealed } = value;
  const isPlace = typeof run === "string" && Number.isSafeInteger(seq) && typeof at === "number";
  return isPlace && typeof person === "string" && typeof sealed === "string";
}
