import { chmodSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

export function setup(project: TestProject): () => void {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolcrib-")));
  // Some tests work as somebody else.
  chmodSync(folder, 0o755);
  project.provide("tempFolder", folder);
  return () => {
    try {
      // What was started and is ending may still write.
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    } catch (error) {
      console.warn(`${folder} could not be removed: ${error}`);
    }
  };
}
