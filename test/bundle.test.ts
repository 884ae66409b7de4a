import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type BuildOptions, build } from "esbuild";
import { expect, test } from "vitest";
import { ensureReady } from "../scripts/setup.mjs";
import { ROOT } from "./support/built-cli.ts";

/** What users bundle: the package as it is built. */
const entry = join(ROOT, "dist", "index.js");

const program = `
import { createSession, defineTool } from ${JSON.stringify(entry)};
const parameters = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
const echo = defineTool("echo", { description: "Says it back", parameters, skipPermission: true, handler: ({ text }) => text });
const session = await createSession({ workspace: null, tools: [echo] });
const right = await session.call("echo", { text: "hello" });
const wrong = await session.call("echo", { text: 5 });
await session.close();
console.log(JSON.stringify([right.textResultForLlm, wrong.textResultForLlm]));
`;

test.each([
  ["one file", { outfile: "whole.mjs", splitting: false }],
  ["files that are loaded when they are needed", { outdir: "parts", splitting: true }],
])("a program that is bundled into %s checks and runs calls", async (_what, { splitting, ...out }) => {
  expect(ensureReady(ROOT)).toBe(true);
  const folder = await mkdtemp(join(tmpdir(), "toolcrib-bundle-"));
  try {
    const stdin = join(folder, "program.mjs");
    await writeFile(stdin, program);
    const place = Object.fromEntries(Object.entries(out).map(([key, name]) => [key, join(folder, name)]));
    const options: BuildOptions = {
      entryPoints: [stdin],
      bundle: true,
      platform: "node",
      format: "esm",
      splitting,
      logLevel: "silent",
    };
    await build({ ...options, outExtension: { ".js": ".mjs" }, ...place });
    const file = splitting ? join(folder, "parts", "program.mjs") : join(folder, "whole.mjs");
    const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual(["hello", expect.stringContaining('"text" must be string')]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
