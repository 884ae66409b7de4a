import { spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { ensureBuilt, finish, ROOT } from "../support/built-cli.ts";

beforeAll(ensureBuilt, 300_000);

test("somebody else's source is held to the contract by another test runner", async () => {
  const script = fileURLToPath(new URL("../fixtures/third-party-source.mjs", import.meta.url));
  const { status, out } = await finish(spawn(process.execPath, ["--test", script], { cwd: ROOT, env: plainEnv() }));
  expect(out).toMatch(/# pass 1[0-9]\n|ℹ pass 1[0-9]\n/);
  expect(status).toBe(0);
});

test("failures of real imports are told in words, one notice each", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolcrib-modules-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const files = {
    "needs.mjs": 'import "a-package-that-is-not-there";',
    "syntax.mjs": "export const a = ;",
    "typed.weird": "export const a = 1;",
    "good.mjs": 'export const a = { name: "a", description: "", handler: () => "ran" };',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const built = pathToFileURL(join(ROOT, "dist/sources/module/module-source.js")).href;
  const script = `
    import { createModuleSource } from ${JSON.stringify(built)};
    const tools = ${JSON.stringify(Object.keys(files))}.map((file) => ({
      name: "a", group: null, use: "./" + file + ":a", base: ${JSON.stringify(folder)}, origin: { kind: "default" },
    }));
    const source = createModuleSource({ tools });
    const [tool] = await source.list(new AbortController().signal);
    const { textResultForLlm } = await source.run(tool, {}, { sessionId: "s", toolCallId: "c", signal: new AbortController().signal });
    console.log(JSON.stringify({ texts: source.notices.map(({ text }) => text), textResultForLlm }));
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { cwd: ROOT, env: plainEnv() });
  const { out, err } = await finish(child);
  expect(err).toBe("");
  const { texts, textResultForLlm } = JSON.parse(out);
  expect(texts).toEqual([
    expect.stringMatching(
      /could not be loaded: Error: Cannot find package 'a-package-that-is-not-there' .*; run "npm install a-package-that-is-not-there"/,
    ),
    expect.stringMatching(/could not be loaded: SyntaxError: Unexpected token ';'; correct the module/),
    expect.stringMatching(
      /could not be loaded: TypeError: Unknown file extension "\.weird" .*; compile it to JavaScript/,
    ),
  ]);
  expect(textResultForLlm).toBe("ran");
});

/** Without what this test runner sets for its own children. */
function plainEnv(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...env } = process.env;
  return env;
}
