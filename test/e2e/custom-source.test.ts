import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

test("a source written outside keeps the published contract, and a session uses it", () => {
  const file = fileURLToPath(new URL("../../examples/custom-source/clock-source.test.mjs", import.meta.url));
  const { status, stdout } = spawnSync(process.execPath, ["--test", file], { encoding: "utf8", timeout: 60_000 });
  expect(stdout).toMatch(/(?:#|ℹ) fail 0/);
  expect(status).toBe(0);
});
