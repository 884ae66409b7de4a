import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const SCRIPT = fileURLToPath(new URL("../../scripts/build-inspector.mjs", import.meta.url));

/** The page alone, built from the sources as they are into a folder of its own. */
export async function buildPage(): Promise<{ readonly folder: string; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-page-"));
  await promisify(execFile)(process.execPath, [SCRIPT, folder]);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
