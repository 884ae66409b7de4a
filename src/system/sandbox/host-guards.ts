import { basename, dirname, join, sep } from "node:path";
import { findHostFiles } from "../host-programs/host-files.ts";
import type { HostFile, HostProgram } from "../host-programs/host-program.ts";
import { isInside } from "../paths/roots.ts";
import { guardFile, guardPath, lookAt } from "./guard-path.ts";
import type { Guard } from "./profile.ts";

/** Each takes a mount. What is beyond is not run before somebody trusts what became of it. */
const MOST_GUARDED = 60;

/** Keeps what programs outside the sandbox are made of as it is, and absent what is not there yet. */
export function guardPrograms(
  roots: readonly string[],
  programs: readonly HostProgram[],
  home: string,
): readonly Guard[] {
  const files = programs.flatMap((program) => findHostFiles(program, { roots, home }));
  const once = [...new Map(files.map((file) => [file.path, file])).values()];
  return once.slice(0, MOST_GUARDED).flatMap((file) => {
    const root = roots.find((folder) => file.path !== folder && isInside(folder, file.path));
    return root === undefined ? [] : guardHostFile(root, file);
  });
}

/** Tools keep what they can make again in there, and stop where they cannot. */
const CACHES = [".cache", ".tmp", ".vite", ".vite-temp"];

function guardHostFile(root: string, { path, kind, by }: HostFile): readonly Guard[] {
  if (lookAt(path) !== undefined) {
    const isInstalled = kind === "folder" && basename(path) === "node_modules" && lookAt(path)?.isDirectory() === true;
    const caches = isInstalled ? CACHES.map((name) => join(path, name)).filter(isNoLink) : [];
    return [...guardFile(root, path), ...caches.map((cache): Guard => ({ kind: "open", path: cache }))];
  }
  // A folder that is not there cannot be closed without closing it to builds; only a line of a shell goes on without
  // what it names, and would find it when it appears.
  const isOpen = lookAt(dirname(path))?.isDirectory() === true;
  return isOpen || (by.isLine === true && !path.includes(`${sep}node_modules${sep}`))
    ? guardPath(root, path, null)
    : [];
}

function isNoLink(path: string): boolean {
  const found = lookAt(path);
  return found === undefined || found.isDirectory();
}
