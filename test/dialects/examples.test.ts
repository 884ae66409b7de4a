import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

const FOLDER = new URL("../../examples/", import.meta.url);
const PROVIDERS = ["anthropic", "openai", "gemini", "ai-sdk"];

/** One after the other in one process: to load the library takes longer than each of them. */
function runExamples(files: readonly string[]) {
  const hrefs = files.map((file) => new URL(file, FOLDER).href);
  const code = `for (const file of ${JSON.stringify(hrefs)}) { await import(file); console.log("--"); }`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
    encoding: "utf8",
    timeout: 100_000,
  });
  return { status, said: stdout.split("--\n"), stderr };
}

test("the agent runs its own tool without any configuration and has no other; those of providers find their output right", () => {
  expect(runExamples(["agent/check.mjs", ...PROVIDERS.map((name) => `providers/${name}.mjs`)])).toEqual({
    status: 0,
    said: ["Sunny in Oslo\nSunny in Rome\n", ...PROVIDERS.map(() => "All 2 calls are answered.\n"), ""],
    stderr: "",
  });
});
