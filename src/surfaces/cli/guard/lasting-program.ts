import { realpathSync } from "node:fs";
import { sep } from "node:path";
import { findProgram } from "../../../system/process/find-program.ts";
import { usage } from "../command-line/arguments.ts";
import { BIN, PROGRAM } from "../running/own-program.ts";

/**
 * This Node and this Toolcrib with absolute paths: a client that was started from a desktop has not the PATH of a shell. The
 * name on the path that leads to them is taken where there is one, because it outlives an update of what it leads to.
 */
export function findLastingProgram(path: string): readonly string[] {
  if (BIN.includes(`${sep}_npx${sep}`))
    throw usage(
      `this Toolcrib lies in npx's cache (${BIN}), which npm empties, and every call of your clients would then be refused; install it first: npm install -g toolcrib`,
    );
  return [lasting("node", process.execPath, path), lasting(PROGRAM, BIN, path)];
}

function lasting(name: string, file: string, path: string): string {
  const found = findProgram(name, path);
  try {
    return found !== null && realpathSync(found) === realpathSync(file) ? found : file;
  } catch {
    return file;
  }
}
