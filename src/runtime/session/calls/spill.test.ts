import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempWorkspace } from "../../../../test/support/temp-workspace.ts";
import { createSpill } from "./spill.ts";

const CALL = { id: "c", toolName: "t", arguments: {} };

function setUp(files: Readonly<Record<string, string>> = {}) {
  const { project, outside } = tempWorkspace(files);
  const spill = createSpill({ newId: randomUUID, workspace: project, sessionId: "s" });
  onTestFinished(() => spill.close());
  const keep = async (text: string) => {
    const path = await spill.write(CALL, text);
    return { path, id: /([^/]+)\.txt$/.exec(path)?.[1] ?? "" };
  };
  return { project, outside, spill, keep };
}

test("what was kept is read again in parts, and is for nobody else's eyes", async () => {
  const { project, spill, keep } = setUp();
  const { path, id } = await keep("one two");
  expect(path.startsWith(join(project, ".toolcrib/results/s/"))).toBe(true);
  expect([statSync(path), statSync(dirname(path))].map(({ mode }) => mode & 0o777)).toEqual([0o600, 0o700]);
  expect(await spill.read(id, 4, 100)).toEqual({ text: "two", size: 7, next: 7 });
  await spill.close();
  expect(existsSync(dirname(path))).toBe(false);
});

test("another file in its place is not read, whether by a link or by its name", async () => {
  const { project, spill, keep } = setUp({ ".env": "KEY=canary", copy: "KEY=canary" });
  const read = (id: string) => spill.read(id, 0, 100).catch(() => null);
  const [linked, replaced] = [await keep("one"), await keep("two")];
  rmSync(linked.path);
  symlinkSync(join(project, ".env"), linked.path);
  renameSync(join(project, "copy"), replaced.path);
  expect([await read(linked.id), await read(replaced.id)]).toEqual([null, null]);
});

test("a folder that is swapped for a link takes nothing and shows nothing", async () => {
  const { project, outside, spill, keep } = setUp();
  const { id } = await keep("one");
  const results = join(project, ".toolcrib/results");
  renameSync(results, join(project, ".toolcrib/old"));
  mkdirSync(join(outside, "s"));
  symlinkSync(outside, results);
  await keep("two").catch(() => null);
  await spill.read(id, 0, 100).catch(() => null);
  expect(readdirSync(outside, { recursive: true })).toEqual(["s"]);
});

test("a link that was there before is not followed", async () => {
  const { project, outside, keep } = setUp();
  symlinkSync(outside, join(project, ".toolcrib"));
  const { path } = await keep("one");
  expect(path.startsWith(project)).toBe(false);
  expect(readdirSync(outside)).toEqual([]);
});
