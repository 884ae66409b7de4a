import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { BIN, ensureBuilt, finish } from "./built-cli.ts";

beforeAll(ensureBuilt, 120_000);

const RUNNER = fileURLToPath(new URL("../fixtures/vectors/run.mjs", import.meta.url));
const VECTORS = fileURLToPath(new URL("../fixtures/vectors/visibility.jsonl", import.meta.url));

test("every conformance vector passes against the executable", async () => {
  const child = spawn(process.execPath, [RUNNER, VECTORS, "--", process.execPath, BIN]);
  const { status, out } = await finish(child);
  expect(out).toMatch(/^\d{3,} passed, 0 failed\n$/);
  expect(status).toBe(0);
}, 300_000);
