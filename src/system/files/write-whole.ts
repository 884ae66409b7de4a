import { randomUUID } from "node:crypto";
import { mkdir, realpath, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { isStandIn } from "../../core/rules/stand-in.ts";
import { errnoOf } from "../paths/path-refusal.ts";

/**
 * Writes a file completely or not at all. A link stays a link, and the file keeps its permissions; a new one gets
 * `fresh`. A private file stays private, and so do the folders that are created for it.
 */
export async function writeWhole(path: string, text: string, fresh = 0o644): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const beside = `${target}.${randomUUID()}.new`;
  const isPrivate = (fresh & 0o077) === 0;
  try {
    await mkdir(dirname(target), { recursive: true, mode: isPrivate ? 0o700 : 0o777 });
    const known = await stat(target).catch(() => null);
    const isFree = known?.isDirectory() === true && isStandIn(known);
    const mode = known === null || isFree || isPrivate ? fresh : known.mode & 0o777;
    await writeFile(beside, text, { mode, flag: "wx" });
    if (isFree) await rmdir(target);
    await rename(beside, target);
  } catch (error) {
    await rm(beside, { force: true }).catch(() => undefined);
    throw toNotWritten(path, error);
  }
}

/** The error for a file that cannot be written. */
export function toNotWritten(path: string, error: unknown, next = "nothing was changed"): ToolcribError {
  const why = errnoOf(error) ?? String(error);
  return new ToolcribError("file.not-written", `${path} could not be written (${why}); ${next}`, { names: [path] });
}
