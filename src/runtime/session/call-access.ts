import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isBuiltin } from "../../core/tool/tool.ts";
import { findBuiltin } from "../../sources/builtin/definitions.ts";
import type { PreparedCall } from "../executor/prepare-call.ts";
import type { Access } from "../executor/scheduler.ts";

/** What a call excludes: nothing if it only reads, else whatever touches the same file, else everything (X5). */
export function createAccess(workspace: string): (prepared: PreparedCall, readOnly: boolean) => Access {
  return ({ tool, args }, readOnly) => {
    const { readOnly: promised, concurrencySafe, hostShell } = tool.traits;
    const shares = (promised && concurrencySafe) || (hostShell && !promised && readOnly);
    const { oneFile } = (isBuiltin(tool) && findBuiltin(tool)) || {};
    const file = oneFile === undefined ? undefined : args[oneFile];
    return { exclusive: !shares, keys: typeof file === "string" ? [toFileKey(resolve(workspace, file))] : null };
  };
}

/** One key for all spellings of a file: links followed, and case ignored as some file systems do. */
function toFileKey(path: string): string {
  return `file:${realPath(path).toLowerCase()}`;
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realPath(folder), basename(path));
  }
}
