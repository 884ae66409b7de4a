import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isBuiltin } from "../../../core/tool/tool.ts";
import { findBuiltin } from "../../../sources/builtin/definitions.ts";
import type { Access } from "../../executor/access.ts";
import type { PreparedCall } from "../../executor/prepare-call.ts";

/** What a call excludes: nothing if it only reads, else whatever touches the same file, else everything (X5). */
export function createAccess(workspace: string): (prepared: PreparedCall, readOnly: boolean) => Access {
  return ({ tool, args }, readOnly) => {
    const { readOnly: promised, concurrencySafe, hostShell } = tool.traits;
    const shares = (promised && concurrencySafe) || (hostShell && !promised && readOnly);
    const files = isBuiltin(tool) ? filesOf(findBuiltin(tool), args) : null;
    return { exclusive: !shares, keys: files?.map((file) => toFileKey(resolve(workspace, file))) ?? null };
  };
}

/** The files that a call touches and no others; null where nobody knows them all. */
function filesOf(builtin: ReturnType<typeof findBuiltin>, args: PreparedCall["args"]): readonly string[] | null {
  const { oneFile, touches } = builtin ?? {};
  const file = oneFile === undefined ? undefined : args[oneFile];
  if (typeof file === "string") return [file];
  const touched = touches?.(args);
  return touched?.kind === "write" ? touched.paths : null;
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
