import { randomUUID } from "node:crypto";
import { mkdir, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";

/** Writes a file whole or not at all. A link stays a link, and the file keeps its permissions; a new one gets these. */
export async function writeWhole(path: string, text: string, fresh = 0o644): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const beside = `${target}.${randomUUID()}.new`;
  try {
    await mkdir(dirname(target), { recursive: true });
    const mode = await stat(target).then(
      (known) => known.mode & 0o777,
      () => fresh,
    );
    await writeFile(beside, text, { mode, flag: "wx" });
    await rename(beside, target);
  } catch (error) {
    await rm(beside, { force: true }).catch(() => undefined);
    const why = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new ToolcribError("file.not-written", `${path} could not be written (${why}); nothing was changed`, {
      names: [path],
    });
  }
}
