import { NODE_DISK } from "../../../system/paths/disk.ts";
import { errnoOf } from "../../../system/paths/path-refusal.ts";
import type { Place } from "../../../system/paths/resolve-inside.ts";
import type { Roots } from "../../../system/paths/roots.ts";
import type { PlacesOutcome } from "../parts/outcome.ts";
import type { PathMatcher } from "./glob-pattern.ts";
import { type MayRead, noteDenied } from "./may-read.ts";
import { createPace } from "./pace.ts";
import { type WalkedFile, walkFiles } from "./walk-files.ts";

export interface GlobLimits {
  /** Milliseconds. */
  readonly time: number;
  /** Files that are shown. */
  readonly shown: number;
  /** Files that are compared by age. */
  readonly compared: number;
}

const AT_ONCE = 64;

/** Finds files by path, newest first; rejects when the signal is aborted. */
export async function glob(
  matches: PathMatcher,
  roots: Roots,
  place: Place,
  mayRead: MayRead,
  limits: GlobLimits,
  signal: AbortSignal,
): Promise<PlacesOutcome> {
  const pace = createPace(signal, limits.time);
  const found: WalkedFile[] = [];
  let cut = false;
  let denied = 0;
  try {
    for await (const file of walkFiles(roots, place, pace.signal)) {
      await pace.step();
      if (!matches(file.path)) continue;
      if (!mayRead(file)) {
        denied += 1;
        continue;
      }
      cut = found.length >= limits.compared;
      if (cut) break;
      found.push(file);
    }
  } catch (error) {
    if (!pace.isLate) throw error;
  } finally {
    pace.stop();
  }
  const sorted = await sortByAge(found);
  const notes = [
    sorted.length > limits.shown ? `[${sorted.length - limits.shown} more files; narrow the pattern]` : "",
    cut ? `[only the first ${limits.compared} files were looked at]` : "",
    noteDenied(denied),
    pace.isLate ? `[stopped after ${limits.time / 1_000} s; search a smaller folder for the rest]` : "",
  ];
  const lines = sorted.slice(0, limits.shown).map(({ shown }) => ({ place: shown, rest: "" }));
  return { what: "places", lines, none: "No files match.", notes: notes.filter((note) => note !== "") };
}

async function sortByAge(files: readonly WalkedFile[]): Promise<readonly WalkedFile[]> {
  const dated: { readonly file: WalkedFile; readonly time: number }[] = [];
  for (let at = 0; at < files.length; at += AT_ONCE) {
    dated.push(...(await Promise.all(files.slice(at, at + AT_ONCE).map(toDated))));
  }
  // Files of equal age keep the order of the walk.
  return dated.sort((a, b) => b.time - a.time).map(({ file }) => file);
}

async function toDated(file: WalkedFile) {
  try {
    return { file, time: (await NODE_DISK.lstat(file.real)).mtimeMs };
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return { file, time: 0 };
  }
}
