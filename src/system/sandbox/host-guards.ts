import { basename, dirname, join, sep } from "node:path";
import { findHostFiles } from "../host-programs/host-files.ts";
import type { HostFile, HostProgram } from "../host-programs/host-program.ts";
import { contains } from "../paths/roots.ts";
import { guardFile, guardPath, statPath } from "./guard-path.ts";
import type { Guard } from "./sandbox-spec.ts";

/** Each takes a mount. Programs beyond this need new trust before they run, if their files changed. */
const MOST_GUARDED = 60;

/** Keeps the files of programs that run outside the sandbox unchanged, and missing ones absent. */
export function guardPrograms(
  roots: readonly string[],
  programs: readonly HostProgram[],
  home: string,
): readonly Guard[] {
  const files = programs.flatMap((program) => findHostFiles(program, { roots, home }));
  const once = [...new Map(files.map((file) => [file.path, file])).values()];
  return once.slice(0, MOST_GUARDED).flatMap((file) => {
    const root = roots.find((folder) => file.path !== folder && contains(folder, file.path));
    return root === undefined ? [] : guardHostFile(root, file);
  });
}

/** Tools store what they can create again in there, and fail if they cannot. */
const CACHES = [".cache", ".tmp", ".vite", ".vite-temp"];

function guardHostFile(root: string, { path, kind, by }: HostFile): readonly Guard[] {
  if (statPath(path) !== undefined) {
    const isInstalled =
      kind === "folder" && basename(path) === "node_modules" && statPath(path)?.isDirectory() === true;
    const caches = isInstalled ? CACHES.map((name) => join(path, name)).filter(isNoLink) : [];
    return [...guardFile(root, path), ...caches.map((cache): Guard => ({ kind: "open", path: cache }))];
  }
  // Closing an absent folder would break builds. Only a shell line continues without the file it names, and would use
  // it once it appears.
  const isOpen = statPath(dirname(path))?.isDirectory() === true;
  return isOpen || (by.isLine === true && !path.includes(`${sep}node_modules${sep}`))
    ? guardPath(root, path, null)
    : [];
}

function isNoLink(path: string): boolean {
  const found = statPath(path);
  return found === undefined || found.isDirectory();
}
