import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const FOLDER = fileURLToPath(new URL("../../examples/providers/", import.meta.url));

test.each(["anthropic", "openai", "gemini", "ai-sdk"])(
  "examples/providers/%s.mjs runs its calls and finds its own output right",
  (name) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [`${FOLDER}${name}.mjs`], {
      encoding: "utf8",
      timeout: 20_000,
    });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "All 2 calls are answered.\n", stderr: "" });
  },
  30_000,
);
