import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { PreparedCall } from "../executor/prepare-call.ts";
import type { Access } from "../executor/scheduler.ts";

/** Built-ins that touch one file each, which is their `path`. */
const ONE_FILE = new Set(["view", "view_image", "create", "edit"]);

/** What a call excludes: nothing if it only reads, else whatever touches the same file, else everything (X5). */
export function createAccess(workspace: string): (prepared: PreparedCall, readOnly: boolean) => Access {
  return ({ tool, args }, readOnly) => {
    const { readOnly: promised, concurrencySafe, hostShell } = tool.traits;
    const shares = (promised && concurrencySafe) || (hostShell && !promised && readOnly);
    const isOneFile = tool.source === "builtin" && ONE_FILE.has(tool.name) && typeof args.path === "string";
    return { exclusive: !shares, keys: isOneFile ? [toFileKey(resolve(workspace, String(args.path)))] : null };
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
