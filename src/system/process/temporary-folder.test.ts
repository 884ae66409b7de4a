import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeTemporaryFolder } from "./temporary-folder.ts";

test("what a killed process left behind goes at the next start, and what belongs to one that runs stays", () => {
  const { TMPDIR } = process.env;
  const parent = mkdtempSync(join(tmpdir(), "toolcrib-parent-"));
  process.env.TMPDIR = parent;
  onTestFinished(() => {
    rmSync(parent, { recursive: true, force: true });
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  });
  const { pid } = spawnSync("true");
  const own = makeTemporaryFolder("test");
  const left = own.replace(`-${process.pid}-`, `-${pid}-`);
  const others = [join(parent, `toolcrib-test-00000000-${pid}-abc`), join(parent, `${pid}-abc`)];
  for (const folder of [left, ...others]) mkdirSync(folder);
  writeFileSync(join(left, "kept.txt"), "");
  const second = makeTemporaryFolder("test");
  // What another container or program left is not ours to judge.
  expect(readdirSync(parent).sort()).toEqual([own, second, ...others].map((path) => basename(path)).sort());
});

test("the folder goes when its process exits", () => {
  const before = process.listeners("exit");
  const folder = makeTemporaryFolder("test");
  writeFileSync(join(folder, "kept.txt"), "");
  const added = process.listeners("exit").filter((listener) => !before.includes(listener));
  for (const listener of added) {
    process.off("exit", listener);
    listener.call(process, 0);
  }
  expect(existsSync(folder)).toBe(false);
});
