import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const COMPILER = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));

test("what the tests of types say holds", { timeout: 300_000 }, async () => {
  const said = await new Promise<string>((resolve) => {
    execFile(process.execPath, [COMPILER, "--noEmit", "-p", "tsconfig.types.json"], { cwd: ROOT }, (_, out) =>
      resolve(out),
    );
  });
  expect(said).toBe("");
});
