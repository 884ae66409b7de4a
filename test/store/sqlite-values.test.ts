import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { ensureBuilt } from "../support/built-cli.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

beforeAll(ensureBuilt);

const PROGRAM = fileURLToPath(new URL("../fixtures/store/odd-values.mjs", import.meta.url));

test.each([1, 2, 3])("whatever value reaches SQLite is kept or refused, and the process lives (seed %i)", (seed) => {
  const file = join(tempWorkspace().base, "odd.db");
  const { kept, refused } = JSON.parse(
    execFileSync(process.execPath, [PROGRAM, file, String(seed)], { encoding: "utf8" }),
  );
  expect(kept).toBeGreaterThan(100);
  expect(refused).toBeGreaterThan(100);
});
