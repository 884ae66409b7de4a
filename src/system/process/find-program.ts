import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** The file of a program on the path; null if there is none. */
export function findProgram(name: string, path: string): string | null {
  return findFile(name, path, constants.X_OK);
}

/** Whether a readable folder of the path has a file of that name, executable or not. */
export function isOnPath(name: string, path: string): boolean {
  return findFile(name, path, constants.F_OK) !== null;
}

function findFile(name: string, path: string, access: number): string | null {
  for (const folder of path.split(delimiter)) {
    // A relative folder on the path would let the workspace choose what runs.
    if (!isAbsolute(folder)) continue;
    const file = join(folder, name);
    if (isFile(file, access)) return file;
  }
  return null;
}

function isFile(file: string, access: number): boolean {
  try {
    accessSync(file, access);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
