import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { type AnchoredFolder, openFolder } from "../../../system/paths/anchored-folder.ts";
import { NODE_DISK } from "../../../system/paths/disk.ts";
import { errnoOf, PathRefusal } from "../../../system/paths/path-refusal.ts";
import type { Place } from "../../../system/paths/resolve-inside.ts";
import { contains, type Roots, shownPath } from "../../../system/paths/roots.ts";
import { type IgnoreRules, isIgnored, readIgnoreRules } from "./ignore-rules.ts";

export interface WalkedFile {
  readonly real: string;
  /** Relative to the searched path, with slashes. */
  readonly path: string;
  /** The path in messages. */
  readonly shown: string;
}

const LARGEST_IGNORE_FILE = 1_000_000;
const DEEPEST = 128;

/**
 * The regular files at or under a path, folder by folder, each folder in byte order. Links are not followed, `.git` is
 * not entered, and what a `.gitignore` between the root and the file names is left out, unless it was asked for by
 * name.
 */
export async function* walkFiles(roots: Roots, place: Place, signal: AbortSignal): AsyncGenerator<WalkedFile> {
  const stats = await NODE_DISK.lstat(place.real);
  if (stats.isFile()) yield { real: place.real, path: basename(place.real), shown: place.shown };
  if (!stats.isDirectory()) return;
  const root = roots.find(({ real }) => contains(real, place.real))?.real ?? place.real;
  const above = await loadRulesAbove(root, place.real);
  yield* walkFolder({ roots, root, start: place.real, signal }, place.real, above, 0);
}

interface Walk {
  readonly roots: Roots;
  /** The root of the ignore rules. */
  readonly root: string;
  readonly start: string;
  readonly signal: AbortSignal;
}

async function* walkFolder(
  walk: Walk,
  real: string,
  above: readonly IgnoreRules[],
  depth: number,
): AsyncGenerator<WalkedFile> {
  walk.signal.throwIfAborted();
  const found = await readFolder(walk.root, real);
  if (found === null) return;
  const chain = found.rules === null ? above : [...above, found.rules];
  for (const entry of found.entries) {
    const path = join(real, entry.name);
    const isFolder = entry.isDirectory();
    if (!isFolder && !entry.isFile()) continue;
    if (isFolder && (entry.name === ".git" || depth >= DEEPEST)) continue;
    if (isIgnored(chain, toSlashes(relative(walk.root, path)), isFolder)) continue;
    if (isFolder) yield* walkFolder(walk, path, chain, depth + 1);
    else yield { real: path, path: toSlashes(relative(walk.start, path)), shown: shownPath(walk.roots, path) };
  }
}

interface FolderContent {
  readonly entries: readonly Dirent[];
  readonly rules: IgnoreRules | null;
}

/** Null for a folder that is gone, cannot be opened or has moved: the walk continues without it. */
async function readFolder(root: string, real: string): Promise<FolderContent | null> {
  let folder: AnchoredFolder;
  try {
    folder = await openFolder(NODE_DISK, real);
  } catch (error) {
    return passOver(error);
  }
  try {
    // The path through the anchor, so that a swap after opening changes nothing.
    const entries = await readdir(dirname(folder.at("entry")), { withFileTypes: true });
    entries.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
    const hasRules = entries.some((entry) => entry.name === ".gitignore" && entry.isFile());
    return { entries, rules: hasRules ? await loadRules(root, folder) : null };
  } catch (error) {
    return passOver(error);
  } finally {
    await folder.close();
  }
}

async function loadRules(root: string, folder: AnchoredFolder): Promise<IgnoreRules | null> {
  try {
    const file = await folder.openEntry(".gitignore", 0);
    try {
      const { size } = await file.stat();
      if (size > LARGEST_IGNORE_FILE) return null;
      return readIgnoreRules(toSlashes(relative(root, folder.path)), await file.readFile("utf8"));
    } finally {
      await file.close();
    }
  } catch (error) {
    return passOver(error);
  }
}

async function loadRulesAbove(root: string, start: string): Promise<readonly IgnoreRules[]> {
  if (start === root) return [];
  const parent = dirname(start);
  const found = await readFolder(root, parent);
  const above = await loadRulesAbove(root, parent);
  return found?.rules ? [...above, found.rules] : above;
}

function passOver(error: unknown): null {
  if (error instanceof PathRefusal || errnoOf(error) !== null) return null;
  throw error;
}

function toSlashes(path: string): string {
  return sep === "/" ? path : path.replaceAll(sep, "/");
}
