import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** The file that a name on the path stands for; null when there is none. */
export function findProgram(name: string, path: string): string | null {
  for (const folder of path.split(delimiter)) {
    // A relative folder on the path would let the workspace choose what runs.
    if (!isAbsolute(folder)) continue;
    const file = join(folder, name);
    if (isExecutable(file)) return file;
  }
  return null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
