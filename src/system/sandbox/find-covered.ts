import { accessSync, constants, type Dirent, lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import type { DeniedFiles } from "../../core/rules/denied-files.ts";
import { isStandIn } from "../../core/rules/stand-in.ts";
import { contains } from "../paths/roots.ts";
import { statPath } from "./guard-path.ts";
import type { CoveredPath } from "./sandbox-spec.ts";

export interface Covers {
  readonly covers: readonly CoveredPath[];
  /** Paths named by rules where nothing exists; nothing may be created there. */
  readonly absent: readonly string[];
  /** Why there may be more, or what cannot be covered; null if this is all. */
  readonly missed: string | null;
}

export const NO_COVERS: Covers = { covers: [], absent: [], missed: null };

export interface CoverLimits {
  readonly folders: number;
  readonly covers: number;
  /** Milliseconds. */
  readonly time: number;
}

/** Their names are passed as one string, which systems limit to 128 KiB. */
const MOST_LETTERS = 40_000;
/** Each cover takes a descriptor, and many systems give a process no more than 1,024. */
const LIMITS: CoverLimits = { folders: 50_000, covers: 800, time: 3_000 };

/** How long others wait at most while folders are scanned. */
const SLICE = 10;
/** A folder changed this shortly before it was listed may have changed again within the same clock tick. */
const TICK = 2_000;

/** The relevant content of a folder when it was listed. */
interface Listed {
  readonly changed: number;
  readonly inode: number;
  readonly isSettled: boolean;
  /** It cannot be listed, though a command might reach what is in it. */
  readonly isBlind: boolean;
  readonly folders: readonly string[];
  readonly found: readonly { readonly name: string; readonly kind: CoveredPath["kind"] | "link" }[];
}

export interface CoverFinder {
  /** What must be covered below these folders now; unchanged folders are not listed again. */
  find(roots: readonly string[]): Promise<Covers>;
}

export function createCoverFinder(denied: DeniedFiles, limits: CoverLimits = LIMITS): CoverFinder {
  let known = new Map<string, Listed>();

  const list = (folder: string, seen: Map<string, Listed>): Listed | null => {
    const stats = lstatSync(folder, { throwIfNoEntry: false });
    if (stats === undefined) return null;
    const before = known.get(folder);
    const isSame = before?.isSettled === true && before.changed === stats.ctimeMs && before.inode === stats.ino;
    const listed = isSame ? before : listFolder(folder, denied, { changed: stats.ctimeMs, inode: stats.ino });
    seen.set(folder, listed);
    return listed;
  };

  return {
    async find(roots) {
      if (denied.isEmpty) return NO_COVERS;
      const seen = new Map<string, Listed>();
      const covers = new Map<string, CoveredPath>();
      const outer = [...new Set(roots)].filter(
        (root) => !roots.some((other) => other !== root && contains(other, root)),
      );
      const waiting = [...outer];
      let missed = outer.some((root) => denied.has(root)) ? "a rule denies a whole folder of work" : null;
      let left = limits.time;
      let start = performance.now();
      for (let folder = waiting.pop(); folder !== undefined && missed === null; folder = waiting.pop()) {
        const listed = list(folder, seen);
        if (listed?.isBlind === true) missed = `${folder} cannot be listed`;
        for (const { name, kind } of listed?.found ?? []) {
          const path = join(folder, name);
          const cover = kind === "link" ? toTarget(path, outer) : { kind, path };
          if (cover === "open") missed = `${path} is a link to a folder`;
          if (kind === "file" && hasOtherName(path, denied)) missed = `${path} is a file with a second name`;
          if (cover !== null && cover !== "open") covers.set(cover.path, cover);
        }
        for (const name of listed?.folders ?? []) waiting.push(join(folder, name));
        const took = performance.now() - start;
        missed ??= beyond(limits, { folders: seen.size, covers: [...covers.keys()], isLate: took > left });
        if (took > SLICE) {
          // Time in which others run does not count.
          left -= took;
          await turn();
          start = performance.now();
        }
      }
      // What was not reached in time is found sooner the next time.
      known = missed === null ? seen : new Map([...known, ...seen]);
      const absent = denied.named.filter((path) => outer.some((root) => contains(root, path)) && couldBeMade(path));
      return { covers: [...covers.values()].slice(0, limits.covers), absent, missed };
    },
  };
}

function beyond(
  limits: CoverLimits,
  now: { folders: number; covers: readonly string[]; isLate: boolean },
): string | null {
  if (now.folders > limits.folders) return `there are more than ${limits.folders} folders to look through`;
  if (now.covers.length > limits.covers) return `there are more than ${limits.covers} of them`;
  if (now.covers.reduce((sum, path) => sum + path.length, 0) > MOST_LETTERS) return "their names are too long";
  return now.isLate ? `it takes longer than ${limits.time / 1_000} s to look for them` : null;
}

function listFolder(folder: string, denied: DeniedFiles, at: Pick<Listed, "changed" | "inode">): Listed {
  const isSettled = at.changed < Date.now() - TICK;
  const entries = tryToList(folder);
  const folders: string[] = [];
  const found: Listed["found"][number][] = [];
  for (const entry of entries ?? []) {
    const { name } = entry;
    const path = join(folder, name);
    if (!denied.mayBe(name) || !denied.has(path)) {
      if (entry.isDirectory()) folders.push(name);
    } else if (!isAbsent(path)) {
      const kind = entry.isSymbolicLink() ? "link" : entry.isDirectory() ? "folder" : "file";
      found.push({ name, kind });
    }
  }
  const isOdd = entries === null || found.length > 0;
  // What lies in another user's folder that cannot be entered can neither be read nor be covered.
  const isShut = isOdd && !may(folder, constants.X_OK) && statPath(folder)?.uid !== process.getuid?.();
  return { ...at, isSettled, isBlind: entries === null && !isShut, folders, found: isShut ? [] : found };
}

function tryToList(folder: string): readonly Dirent[] | null {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return null;
  }
}

function may(folder: string, wanted: number): boolean {
  try {
    accessSync(folder, wanted);
    return true;
  } catch {
    return false;
  }
}

/** The stand-in of another running command does not count as a file. */
function isAbsent(path: string): boolean {
  const found = statPath(path);
  return found === undefined || isStandIn(found);
}

/** A link cannot be covered, but its target file can; hiding a whole folder for that would be too much. */
function toTarget(link: string, roots: readonly string[]): CoveredPath | "open" | null {
  try {
    const path = realpathSync(link);
    if (!roots.some((root) => contains(root, path))) return null;
    return statSync(path).isDirectory() ? "open" : { kind: "file", path };
  } catch {
    return null;
  }
}

/**
 * A hard link to it is not covered, wherever it is. Only files that rules spell out count: package managers link whole
 * stores of files that a pattern such as `*.pem` matches.
 */
function hasOtherName(path: string, { named }: DeniedFiles): boolean {
  return (statPath(path)?.nlink ?? 0) > 1 && named.includes(path);
}

function couldBeMade(path: string): boolean {
  if (!isAbsent(path)) return false;
  const folder = dirname(path);
  try {
    return realpathSync(folder) === folder && may(folder, constants.W_OK);
  } catch {
    return false;
  }
}
