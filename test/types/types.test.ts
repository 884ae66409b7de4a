import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ensureReady } from "../../scripts/setup.mjs";
import { ROOT } from "../support/built-cli.ts";

const COMPILER = join(ROOT, "node_modules", "typescript", "bin", "tsc");

/** They are tests of the declarations, which is what users compile against; to compile all sources takes five times as long. */
test("what the tests of types say holds", { timeout: 300_000 }, async () => {
  expect(ensureReady(ROOT, { declares: true })).toBe(true);
  const said = await new Promise<string>((resolve) => {
    execFile(process.execPath, [COMPILER, "--noEmit", "-p", "tsconfig.types.json"], { cwd: ROOT }, (_, out) =>
      resolve(out),
    );
  });
  expect(said).toBe("");
});
