import type { Disk } from "../../../system/paths/disk.ts";
import { errnoOf, PathRefusal } from "../../../system/paths/path-refusal.ts";
import type { Place } from "../../../system/paths/resolve-inside.ts";
import type { RunContext } from "../../source.ts";
import { findPlace } from "../parts/find-place.ts";
import type { BuiltinHandler } from "../parts/handler.ts";
import { loadHostRoots } from "../parts/host-roots.ts";
import type { BuiltinResult } from "../parts/outcome.ts";
import { fail, refuse } from "../parts/results.ts";
import { ArgumentProblem } from "./arguments.ts";

/** What a file tool works with: the disk, and the only way from a model's path to a location on it. */
export interface Files {
  readonly disk: Disk;
  readonly place: (path: string) => Promise<Place>;
  readonly signal: AbortSignal;
  readonly mayRead: RunContext["mayRead"];
}

export type FileTool = (args: Readonly<Record<string, unknown>>, files: Files) => Promise<BuiltinResult>;

/** What the model can do about an error of the file system; Node's own message would show absolute paths. */
const ERRNO_TEXTS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "The file or folder does not exist (any more)."],
  ["ENOTDIR", "A part of the path is a file, not a folder."],
  ["EISDIR", "The path is a folder, not a file."],
  ["EACCES", "Permission denied: the file or folder may not be read or written by this process."],
  ["EPERM", "The system does not permit this on the file or folder."],
  ["EROFS", "The file system is read-only."],
  ["ENOSPC", "The disk is full; nothing was changed."],
  ["EDQUOT", "The disk quota is used up; nothing was changed."],
  ["ENAMETOOLONG", "The name is too long for this file system."],
  ["EMFILE", "Too many files are open; try again."],
]);

/** Turns a file tool into a handler. Refusals and errors of the file system become results, other errors are bugs. */
export function toHandler<T extends BuiltinResult | null>(
  disk: Disk,
  tool: (...call: Parameters<FileTool>) => Promise<T>,
): (...call: Parameters<BuiltinHandler>) => Promise<T | BuiltinResult> {
  return async (args, run, host) => {
    try {
      const roots = await loadHostRoots(host);
      if (roots === null) return fail("There is no workspace, so there are no files to work on.");
      const { signal, mayRead } = run;
      return await tool(args, { disk, signal, mayRead, place: (path) => findPlace(disk, roots, path, run) });
    } catch (error) {
      if (error instanceof PathRefusal) return refuse(error);
      if (error instanceof ArgumentProblem) return fail(error.message);
      const code = errnoOf(error);
      const text = code === null ? undefined : ERRNO_TEXTS.get(code);
      if (text === undefined) throw error;
      return fail(text, { error: String(error) });
    }
  };
}
