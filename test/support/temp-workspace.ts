import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder `project` with files in it, and `outside` beside it; both vanish after the test. */
export interface TempWorkspace {
  readonly base: string;
  readonly project: string;
  readonly outside: string;
  readonly write: (path: string, content: string | Uint8Array) => string;
}

export function tempWorkspace(files: Readonly<Record<string, string | Uint8Array>> = {}): TempWorkspace {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "toolcrib-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [project, outside] = [join(base, "project"), join(base, "outside")];
  for (const folder of [project, outside]) mkdirSync(folder);
  const write = (path: string, content: string | Uint8Array) => {
    const full = join(project, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, content);
    return full;
  };
  for (const [path, content] of Object.entries(files)) write(path, content);
  return { base, project, outside, write };
}
