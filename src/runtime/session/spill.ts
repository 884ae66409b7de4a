import { randomUUID } from "node:crypto";
import { lstat, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Spill } from "../executor/ports.ts";

export interface SpillPlace {
  readonly workspace: string | null;
  readonly sessionId: string;
}

/**
 * Keeps long results in files that nobody else can read, inside the workspace so that file tools can read them. They go
 * when the session does.
 */
export function createSpill({ workspace, sessionId }: SpillPlace): Spill & { close(): Promise<void> } {
  let folder: Promise<string> | null = null;
  return {
    async write(_call, text) {
      folder ??= makeFolder(workspace, sessionId);
      const path = join(await folder, `${randomUUID()}.txt`);
      await writeFile(path, text, { flag: "wx", mode: 0o600 });
      return path;
    },
    async close() {
      const made = await folder?.catch(() => null);
      if (made) await rm(made, { recursive: true, force: true });
    },
  };
}

async function makeFolder(workspace: string | null, sessionId: string): Promise<string> {
  const aside = () => mkdtemp(join(tmpdir(), "toolcrib-results-"));
  if (workspace === null) return aside();
  const [own, results] = [join(workspace, ".toolcrib"), join(workspace, ".toolcrib", "results")];
  try {
    for (const path of [own, results]) {
      await mkdir(path, { mode: 0o700 }).catch(() => {});
      // A link here would let whoever wrote the workspace choose where results go.
      if (!(await lstat(path)).isDirectory()) return aside();
    }
    await writeFile(join(results, ".gitignore"), "*\n", { flag: "wx" }).catch(() => {});
    const folder = join(results, sessionId.replace(/[^\w-]/g, "_"));
    await mkdir(folder, { mode: 0o700 });
    return folder;
  } catch {
    return aside();
  }
}
