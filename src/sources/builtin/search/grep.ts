import { constants } from "node:fs";
import { basename, dirname } from "node:path";
import type { AnchoredFolder } from "../../../system/paths/anchored-folder.ts";
import { NODE_DISK } from "../../../system/paths/disk.ts";
import { withFolder } from "../../../system/paths/open-inside.ts";
import { errnoOf, PathRefusal } from "../../../system/paths/path-refusal.ts";
import type { Place } from "../../../system/paths/resolve-inside.ts";
import type { Roots } from "../../../system/paths/roots.ts";
import { createTwinFinder, type FindTwin } from "../parts/closed-twin.ts";
import type { PlacesOutcome } from "../parts/outcome.ts";
import { findLines } from "./find-lines.ts";
import type { GrepQuery } from "./grep-query.ts";
import { createGrepReport, type GrepReport } from "./grep-report.ts";
import { type MayRead, noteDenied } from "./may-read.ts";
import { createPace, type Pace } from "./pace.ts";
import type { FileFilter } from "./ripgrep-filter.ts";
import { type WalkedFile, walkFiles } from "./walk-files.ts";

export interface GrepLimits {
  /** Milliseconds. */
  readonly time: number;
  /** Bytes; larger files are skipped. */
  readonly fileSize: number;
}

interface Search {
  readonly query: GrepQuery;
  readonly report: GrepReport;
  readonly pace: Pace;
  readonly limits: GrepLimits;
  readonly mayRead: MayRead;
  readonly findTwin: FindTwin;
  /** Files that were too large to search. */
  tooLarge: number;
  /** Files that rules close to reading. */
  denied: number;
}

const BATCH_FILES = 2_000;
const BATCH_BYTES = 96_000;
const READ_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Searches the files at or under a path; rejects when the signal is aborted. */
export async function grep(
  query: GrepQuery,
  roots: Roots,
  place: Place,
  filter: FileFilter,
  mayRead: MayRead,
  limits: GrepLimits,
  signal: AbortSignal,
): Promise<PlacesOutcome> {
  const pace = createPace(signal, limits.time);
  const findTwin = createTwinFinder(NODE_DISK, (path) => mayRead({ path, shown: path, real: path }));
  const report = createGrepReport(query);
  const search: Search = { query, report, pace, limits, mayRead, findTwin, tooLarge: 0, denied: 0 };
  try {
    for await (const batch of toBatches(walkFiles(roots, place, pace.signal), search)) {
      await searchFiles(search, await filter(batch, query, pace.signal));
      if (search.report.isFull) break;
    }
  } catch (error) {
    if (!pace.isLate) throw error;
  } finally {
    pace.stop();
  }
  return describeSearch(search);
}

/** A file that rules close never enters a batch, so nothing reads it. */
async function* toBatches(files: AsyncIterable<WalkedFile>, search: Search): AsyncGenerator<WalkedFile[]> {
  let batch: WalkedFile[] = [];
  let bytes = 0;
  for await (const file of files) {
    if (!search.query.wants(file.path)) continue;
    if (!search.mayRead(file)) {
      search.denied += 1;
      continue;
    }
    batch.push(file);
    bytes += Buffer.byteLength(file.real) + 1;
    if (batch.length < BATCH_FILES && bytes < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

/** Files of one folder come in sequence, so the folder is opened only once for them. */
async function searchFiles(search: Search, files: readonly WalkedFile[]): Promise<void> {
  for (let at = 0; at < files.length && !search.report.isFull; ) {
    const folder = dirname(files[at]?.real ?? "");
    const end = files.findIndex((file, index) => index > at && dirname(file.real) !== folder);
    const together = files.slice(at, end === -1 ? files.length : end);
    at += together.length;
    await passOver(withFolder(NODE_DISK, folder, (open) => searchFolder(search, open, together)));
  }
}

async function searchFolder(search: Search, folder: AnchoredFolder, files: readonly WalkedFile[]): Promise<void> {
  for (const file of files) {
    if (search.report.isFull) return;
    const text = await passOver(readText(search, folder, file.real));
    if (text === null) continue;
    const found = await findLines(text, search.query, search.report.room, search.pace);
    search.report.add(file.shown, text, found);
  }
}

/** Null for a file that is not text, or too large. */
async function readText(search: Search, folder: AnchoredFolder, real: string): Promise<string | null> {
  search.pace.signal.throwIfAborted();
  const file = await folder.openEntry(basename(real), READ_FLAGS);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return null;
    if (stats.size > search.limits.fileSize) {
      search.tooLarge += 1;
      return null;
    }
    if ((await search.findTwin(real, stats)) !== null) {
      search.denied += 1;
      return null;
    }
    const bytes = await file.readFile();
    return isText(bytes) ? bytes.toString("utf8").replace(/^\ufeff/u, "") : null;
  } finally {
    await file.close();
  }
}

/** UTF-16 counts as binary here, even the rare text without a zero byte. */
function isText(bytes: Buffer): boolean {
  const mark = bytes.length < 2 ? 0 : bytes.readUInt16BE(0);
  return mark !== 0xfffe && mark !== 0xfeff && !bytes.includes(0);
}

/** A file that vanished, moved or cannot be opened is no reason to miss the others. */
async function passOver<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof PathRefusal || (errnoOf(error) !== null && !isAbort(error))) return null;
    throw error;
  }
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

function describeSearch({ query, report, pace, limits, tooLarge, denied }: Search): PlacesOutcome {
  const notes = [
    report.isFull
      ? `[more matches; only the first are shown. Narrow the search, or raise head_limit (${query.limit})]`
      : "",
    pace.isLate ? `[stopped after ${limits.time / 1_000} s; search a smaller folder for the rest]` : "",
    noteDenied(denied),
    tooLarge > 0 ? `[passed over ${tooLarge} files larger than ${limits.fileSize} bytes]` : "",
  ];
  return { what: "places", lines: report.lines(), none: "No matches.", notes: notes.filter((note) => note !== "") };
}
