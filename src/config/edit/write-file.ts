import { randomUUID } from "node:crypto";
import { mkdir, realpath, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { isStandIn } from "../../core/rules/stand-in.ts";

/** Writes a file whole or not at all. A link stays a link, and the file keeps its permissions; a new one gets these. */
export async function writeWhole(path: string, text: string, fresh = 0o644): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const beside = `${target}.${randomUUID()}.new`;
  try {
    await mkdir(dirname(target), { recursive: true });
    const known = await stat(target).catch(() => null);
    const isFree = known?.isDirectory() === true && isStandIn(known);
    const mode = known === null || isFree ? fresh : known.mode & 0o777;
    await writeFile(beside, text, { mode, flag: "wx" });
    if (isFree) await rmdir(target);
    await rename(beside, target);
  } catch (error) {
    await rm(beside, { force: true }).catch(() => undefined);
    const why = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new ToolcribError("file.not-written", `${path} could not be written (${why}); nothing was changed`, {
      names: [path],
    });
  }
}
