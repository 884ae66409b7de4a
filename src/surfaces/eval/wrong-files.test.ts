import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runCli } from "../../../test/support/run-cli.ts";

test.each([
  ["rules", ["--cases"]],
  ["scan", ["--cases"]],
  ["search", ["--queries", "ok.jsonl", "--catalog"]],
  ["tokens", ["--catalog"]],
])("eval %s: a file that is not there or not as it should be is told by its name, status 3", async (what, options) => {
  const cwd = mkdtempSync(join(tmpdir(), "toolcrib-eval-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  writeFileSync(join(cwd, "ok.jsonl"), "");
  writeFileSync(join(cwd, "bad.jsonl"), "{}\n[1]\n");
  for (const file of ["missing.jsonl", "bad.jsonl"]) {
    const { status, out } = await runCli(["eval", what, ...options, file, "--json"], { cwd });
    expect({ status, ...JSON.parse(out) }).toMatchObject({
      status: 3,
      error: { code: "eval.invalid", text: expect.stringContaining(file) },
    });
  }
});
