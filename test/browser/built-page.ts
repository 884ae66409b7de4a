import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const { href: SCRIPT } = new URL("../../scripts/build/build-inspector.mjs", import.meta.url);

/** The page alone, built from the sources as they are into a folder of its own. */
export async function buildPage(): Promise<{ readonly folder: string; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-page-"));
  // In a process of its own, because it sets what the environment is.
  const program = `import { buildInspector } from ${JSON.stringify(SCRIPT)}; await buildInspector(process.argv[1]);`;
  await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program, folder]);
  return { folder: join(folder, "inspector"), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
