import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { judge, readVectors } from "../../../../test/fixtures/vectors/run.mjs";
import { createMachine, runCli } from "../../../../test/support/run-cli.ts";

const VECTORS = fileURLToPath(new URL("../../../../test/fixtures/vectors/visibility.jsonl", import.meta.url));

async function ask(file: string) {
  const { status, out } = await runCli(["list", "--world", file, "--json"]);
  return { status, json: JSON.parse(out) };
}

// In this process: `.ci/run` asks the executable the same.
test.each(readVectors(VECTORS))("$id $title", async (vector) => {
  const { cwd } = createMachine();
  expect(await judge(vector, ask, join(cwd, "world"))).toEqual([]);
});
