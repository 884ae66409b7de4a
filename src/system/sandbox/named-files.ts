import { realpathSync } from "node:fs";
import { dirname, relative, sep } from "node:path";
import { isInside } from "../paths/roots.ts";
import { toPlace } from "./git-settings.ts";
import { guardPath, lookAt } from "./guard-path.ts";
import type { Guard } from "./profile.ts";

/** A command line that is run outside the sandbox, later or again. */
export interface OutsideProgram {
  readonly words: readonly string[];
  readonly folder: string;
}

/** What separates words for a shell, and what may stand in front of the name of a program. */
const BETWEEN_WORDS = /[\s"'`;|&<>(){}=,!]+/;

/** The words of a command line that may name a file, whatever runs it: a shell, an interpreter, the system. */
export function fileWords(line: string): readonly string[] {
  const words = line.split(BETWEEN_WORDS).filter((word) => word !== "");
  // Without a folder it is a program on the path, a branch or a name, unless it is what a program is given to run.
  return words.filter((word, at) => !/[*?:]/.test(word) && (word.includes("/") || (at > 0 && word.includes("."))));
}

/** Keeps the files that such programs are made of as they are, as far as their command lines name them. */
export function guardPrograms(root: string, programs: readonly OutsideProgram[], home: string): readonly Guard[] {
  const paths = programs.flatMap(({ words, folder }) =>
    [...words, ...fileWords(words.join(" "))].map((word) => toPlace(word, folder, home)),
  );
  return [...new Set(paths)].flatMap((path) => guardFile(root, path));
}

/** A link cannot be protected: the file behind it is, and the folder that holds the link. */
function guardFile(root: string, path: string): readonly Guard[] {
  if (path === root || !isInside(root, path) || lookAt(path) === undefined) return [];
  try {
    const real = realpathSync(path);
    const link = firstLink(root, path);
    const file = isInside(root, real) && lookAt(real)?.isFile() ? guardPath(root, real, null) : [];
    if (link === null || file.length === 0 || dirname(link) === root) return file;
    return [...file, ...guardPath(root, dirname(link), null)];
  } catch {
    return [];
  }
}

function firstLink(root: string, path: string): string | null {
  const parts = relative(root, path).split(sep);
  const places = parts.map((_, at) => [root, ...parts.slice(0, at + 1)].join(sep));
  return places.find((place) => lookAt(place)?.isSymbolicLink()) ?? null;
}
