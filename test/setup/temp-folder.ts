import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

export function setup(project: TestProject): () => void {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolcrib-")));
  // Some tests work as somebody else.
  chmodSync(folder, 0o755);
  project.provide("tempFolder", folder);
  // There are a hundred thousand files, and nobody has to wait until they are gone.
  return () => spawn(process.execPath, ["-e", REMOVE, folder], { detached: true, stdio: "ignore" }).unref();
}

/** What was started and is ending may still write. */
const REMOVE = 'require("node:fs").rmSync(process.argv[1], { recursive: true, force: true, maxRetries: 5 })';
