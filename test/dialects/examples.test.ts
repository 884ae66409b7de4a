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

test("a host on the engine alone issues tools, runs calls of those and no others, and says why", () => {
  expect(runExamples(["core/host.mjs"])).toEqual({
    status: 0,
    said: [
      `the model gets read_file, write_file
a.md is written
There is no tool delete_file.
to change that: remove "delete_file" from excludeTools (host options.excludeTools[0])
in plan mode: delete_file hidden -> hidden, by mode
in plan mode: write_file visible -> hidden, by mode
`,
      "",
    ],
    stderr: "",
  });
});

test("the agent runs its own tool without any configuration and has no other; those of providers find their output right", () => {
  expect(runExamples(["agent/check.mjs", ...PROVIDERS.map((name) => `providers/${name}.mjs`)])).toEqual({
    status: 0,
    said: ["Sunny in Oslo\nSunny in Rome\n", ...PROVIDERS.map(() => "All 2 calls are answered.\n"), ""],
    stderr: "",
  });
});
