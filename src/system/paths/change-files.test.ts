import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { failingDisk } from "../../../test/support/failing-disk.ts";
import { tempWorkspace } from "../../../test/support/temp-workspace.ts";
import { changeFiles, type FileChange } from "./change-files.ts";
import { type Disk, NODE_DISK } from "./disk.ts";
import { loadFile } from "./open-inside.ts";
import { resolveInside } from "./resolve-inside.ts";
import { loadRoots } from "./roots.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

async function setUp(files: Readonly<Record<string, string>> = {}, disk: Disk = NODE_DISK) {
  const workspace = tempWorkspace(files);
  const roots = await loadRoots(disk, [workspace.project]);
  const place = (path: string) => resolveInside(disk, roots, path);
  const replace = async (path: string, text: string): Promise<FileChange> => {
    const at = await place(path);
    return { kind: "replace", place: at, bytes: bytes(text), version: (await loadFile(disk, at, 1e6)).version };
  };
  const remove = async (path: string): Promise<FileChange> => {
    const at = await place(path);
    return { kind: "delete", place: at, version: (await loadFile(disk, at, 1e6)).version };
  };
  const create = async (path: string, text: string): Promise<FileChange> => ({
    kind: "create",
    place: await place(path),
    bytes: bytes(text),
  });
  const tree = () =>
    Object.fromEntries(
      readdirSync(workspace.project, { recursive: true, encoding: "utf8" })
        .filter((path) => lstatSync(join(workspace.project, path)).isFile())
        .sort()
        .map((path) => [path, readFileSync(join(workspace.project, path), "utf8")]),
    );
  const entries = () => readdirSync(workspace.project, { recursive: true, encoding: "utf8" }).sort();
  return { ...workspace, place, replace, remove, create, tree, entries };
}

/** The two ways to hold a folder; the second is what systems without `/proc` use. */
const DISKS = [
  ["as this system does", NODE_DISK],
  ["by path", { ...NODE_DISK, anchoring: "path" }],
] as const satisfies [string, Disk][];

describe.each(DISKS)("holding folders %s", (_, disk) => {
  test("files are made with their folders, replaced and deleted in one go, and nothing else is left", async () => {
    const { create, replace, remove, tree } = await setUp({ "a.txt": "old", "b.txt": "gone" }, disk);
    await changeFiles(disk, [
      await create("new/deep/c.txt", "made"),
      await create("new/deep/d.txt", "made too"),
      await replace("a.txt", "new"),
      await remove("b.txt"),
    ]);
    expect(tree()).toEqual({ "a.txt": "new", "new/deep/c.txt": "made", "new/deep/d.txt": "made too" });
  });

  test("a replaced file keeps its mode", async () => {
    const { project, replace } = await setUp({ "run.sh": "echo" }, disk);
    chmodSync(join(project, "run.sh"), 0o751);
    await changeFiles(disk, [await replace("run.sh", "echo 2")]);
    expect(statSync(join(project, "run.sh")).mode & 0o7777).toBe(0o751);
  });

  test("a file that appeared since the check is not replaced", async () => {
    const { create, write, tree } = await setUp({}, disk);
    const change = await create("a.txt", "mine");
    write("a.txt", "theirs");
    await expect(changeFiles(disk, [change])).rejects.toMatchObject({ kind: "exists" });
    expect(tree()).toEqual({ "a.txt": "theirs" });
  });

  test("a file that changed since it was read is neither replaced nor deleted", async () => {
    const { replace, remove, write, tree } = await setUp({ "a.txt": "old" }, disk);
    for (const change of [await replace("a.txt", "mine"), await remove("a.txt")]) {
      write("a.txt", "theirs, longer");
      await expect(changeFiles(disk, [change])).rejects.toMatchObject({ kind: "changed" });
    }
    expect(tree()).toEqual({ "a.txt": "theirs, longer" });
  });

  test("a link put where the file was is not written through", async () => {
    const { replace, create, project, outside, write } = await setUp({ "a.txt": "same" }, disk);
    writeFileSync(join(outside, "a.txt"), "same");
    const [replacing, creating] = [await replace("a.txt", "mine"), await create("b.txt", "mine")];
    write("keep", "");
    unlinkSync(join(project, "a.txt"));
    symlinkSync(join(outside, "a.txt"), join(project, "a.txt"));
    symlinkSync(join(outside, "b.txt"), join(project, "b.txt"));
    await expect(changeFiles(disk, [replacing])).rejects.toMatchObject({ kind: "changed" });
    await expect(changeFiles(disk, [creating])).rejects.toMatchObject({ kind: "exists" });
    expect(readdirSync(outside)).toEqual(["a.txt"]);
    expect(readFileSync(join(outside, "a.txt"), "utf8")).toBe("same");
  });
});

test("a file that appears in the very last moment is not replaced", async () => {
  const { create, write, tree } = await setUp();
  const disk: Disk = {
    ...NODE_DISK,
    link: (existing, path) => {
      write("a.txt", "theirs");
      return NODE_DISK.link(existing, path);
    },
  };
  await expect(changeFiles(disk, [await create("a.txt", "mine")])).rejects.toMatchObject({ kind: "exists" });
  expect(tree()).toEqual({ "a.txt": "theirs" });
});

test("where there are no hard links, all of it works, and a failure is still undone", async () => {
  const noLinks = (disk: Disk): Disk => ({
    ...disk,
    link: async () => {
      throw Object.assign(new Error("not supported"), { code: "EPERM" });
    },
  });
  const { create, replace, remove, tree } = await setUp({ "a.txt": "old", "b.txt": "gone" });
  const changes = [await replace("a.txt", "new"), await remove("b.txt"), await create("c.txt", "made")];
  const failing = { ...noLinks(NODE_DISK), rename: failSecond(NODE_DISK.rename) };
  await expect(changeFiles(failing, changes)).rejects.toThrow("no space left");
  expect(tree()).toEqual({ "a.txt": "old", "b.txt": "gone" });
  await changeFiles(noLinks(NODE_DISK), changes);
  expect(tree()).toEqual({ "a.txt": "new", "c.txt": "made" });
});

test("whichever step fails, all changes are made or none, and no spare file or folder is left", async () => {
  const files = { "a.txt": "old a", "b.txt": "old b", "sub/c.txt": "old c" };
  const changed = { "a.txt": "new a", "new/x/d.txt": "new d", "sub/c.txt": "new c" };
  let failures = 0;
  for (let fatal = 1; ; fatal += 1) {
    const { create, replace, remove, tree, entries } = await setUp(files);
    const before = entries();
    const changes = [
      await create("new/x/d.txt", "new d"),
      await replace("a.txt", "new a"),
      await remove("b.txt"),
      await replace("sub/c.txt", "new c"),
    ];
    const { disk, steps } = failingDisk(fatal);
    const failed = await changeFiles(disk, changes).then(
      () => false,
      () => true,
    );
    expect(tree(), `step ${fatal}`).toEqual(failed ? files : changed);
    if (failed) expect(entries(), `step ${fatal}`).toEqual(before);
    failures += Number(failed);
    if (steps() < fatal) break;
  }
  expect(failures).toBeGreaterThan(30);
});

function failSecond(rename: Disk["rename"]): Disk["rename"] {
  let calls = 0;
  return async (from, to) => {
    calls += 1;
    if (calls === 2) throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
    return rename(from, to);
  };
}
