import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeTempFolder } from "./temp-folder.ts";

/** A folder `project` with files in it, and `outside` beside it. */
export interface TempWorkspace {
  readonly base: string;
  readonly project: string;
  readonly outside: string;
  readonly write: (path: string, content: string | Uint8Array) => string;
}

export function tempWorkspace(files: Readonly<Record<string, string | Uint8Array>> = {}): TempWorkspace {
  const base = makeTempFolder();
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
