import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const FOLDER = fileURLToPath(new URL("../../examples/", import.meta.url));

function runExample(file: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [`${FOLDER}${file}`], {
    encoding: "utf8",
    timeout: 50_000,
  });
  return { status, stdout, stderr };
}

test("examples/agent runs its own tool without any configuration, and has no other", () => {
  const stdout = "Sunny in Oslo\nSunny in Rome\n";
  expect(runExample("agent/check.mjs")).toEqual({ status: 0, stdout, stderr: "" });
});

test.each(["anthropic", "openai", "gemini", "ai-sdk"])(
  "examples/providers/%s.mjs runs its calls and finds its own output right",
  (name) => {
    const stdout = "All 2 calls are answered.\n";
    expect(runExample(`providers/${name}.mjs`)).toEqual({ status: 0, stdout, stderr: "" });
  },
);
