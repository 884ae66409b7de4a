import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive } from "./is-alive.ts";
import { processScope } from "./process-scope.ts";

/** Creates a folder that is removed when this process exits. Removes those of its kind whose process was killed. */
export function makeTemporaryFolder(kind: string): string {
  const place = createHash("sha256").update(processScope()).digest("hex").slice(0, 8);
  const start = `toolcrib-${kind}-${place}-`;
  removeOfEnded(tmpdir(), start);
  const folder = mkdtempSync(join(tmpdir(), `${start}${process.pid}-`));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Removes everything named `start` and the id of a process that has ended. */
export function removeOfEnded(parent: string, start = ""): void {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(start)) continue;
    const pid = /^[1-9][0-9]*(?=-|$)/.exec(name.slice(start.length))?.[0];
    if (pid === undefined || isAlive(Number(pid))) continue;
    try {
      rmSync(join(parent, name), { recursive: true, force: true });
    } catch {
      // It belongs to another user, who removes it.
    }
  }
}
