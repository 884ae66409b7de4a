import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { findProgram } from "../../src/system/process/find-program.ts";
import { finish, ROOT } from "../support/built-cli.ts";

vi.setConfig({ testTimeout: 180_000 });

/** Of each program that may be missing, a test that starts it; and one that needs nothing. */
const FILES = [
  "test/browser/approval-scopes.test.ts",
  "test/sandbox/killed.test.ts",
  "src/sources/builtin/search/search-family.test.ts",
  "src/system/addresses/get-public-tls.test.ts",
];
const NAMES = "an approval|has to be killed|grep with ripgrep|https goes|finds files by pattern";

/** `npm test` on a machine with Node, git, a shell and what POSIX asks for: no browser, sandbox, ripgrep or package manager. */
function testOnBareMachine(env: Readonly<Record<string, string>> = {}) {
  const machine = mkdtempSync(join(tmpdir(), "toolcrib-bare-"));
  onTestFinished(() => rmSync(machine, { recursive: true, force: true }));
  const bin = join(machine, "bin");
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, "node"));
  for (const name of ["sh", "git", "cat", "sleep", "env"]) {
    const file = findProgram(name, process.env.PATH ?? "");
    if (file === null) throw new Error(`every machine has ${name}`);
    symlinkSync(file, join(bin, name));
  }
  const argv = ["scripts/test.mjs", ...FILES, "-t", NAMES];
  const plain = { PATH: bin, HOME: join(machine, "no-home"), TMPDIR: tmpdir(), NO_COLOR: "1", VITEST_MAX_WORKERS: "1" };
  return finish(spawn(process.execPath, argv, { cwd: ROOT, env: { ...plain, ...env } }));
}

test("what needs a missing program is skipped, and the run ends with what that was and how to have it", async () => {
  const { status, out } = await testOnBareMachine();
  expect(status).toBe(0);
  const [, list = ""] = out.split("Skipped, because this machine lacks a program:\n");
  expect(list).toMatch(/^ {2}bash: \d+ tests; to run them, install bash\n/);
  expect(list).toMatch(/\n {2}bwrap: \d+ tests; to run them, install bubblewrap, on a machine .* user namespaces\n/);
  expect(list).toMatch(/\n {2}chromium: \d+ tests; to run them, install chromium, or set CHROMIUM/);
  expect(list).toMatch(/\n {2}openssl: 1 test; to run them, install openssl\n/);
  expect(list).toMatch(/\n {2}rg: \d+ tests; to run them, install ripgrep\n/);
  expect(out).toMatch(/Tests .*\b1 passed/);
});

test("where everything has to be there, a missing program fails the run by its name", async () => {
  const { status, out, err } = await testOnBareMachine({ TOOLCRIB_TEST_ALL: "1" });
  expect(status).toBe(1);
  for (const name of ["bwrap", "chromium", "openssl", "rg"]) {
    expect(`${out}${err}`).toContain(`TOOLCRIB_TEST_ALL=1, and this machine has no ${name}: `);
  }
});
