import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { rounds } from "../../../test/support/rounds.ts";
import { tempWorkspace } from "../../../test/support/temp-workspace.ts";
import { changeFiles } from "./change-files.ts";
import { NODE_DISK } from "./disk.ts";
import { loadFile, withFolder } from "./open-inside.ts";
import { errnoOf, PathRefusal } from "./path-refusal.ts";
import { resolveInside } from "./resolve-inside.ts";
import { loadRoots } from "./roots.ts";

const ROUNDS = rounds(1_000, 250);

/** Swaps an entry with a link as fast as it can, on a thread of its own, until it is told to stop. */
const SWAPPER = `
  const { workerData } = require("node:worker_threads");
  const { renameSync, rmSync } = require("node:fs");
  const { entry, link, hold, shared } = workerData;
  const flags = new Int32Array(shared);
  // While the entry is away, the other side may rightly have made a folder of that name.
  function take(from, to) {
    for (;;) {
      try {
        return renameSync(from, to);
      } catch {
        try { rmSync(to, { recursive: true, force: true }); } catch {}
      }
    }
  }
  while (Atomics.load(flags, 0) === 0) {
    renameSync(entry, hold);
    take(link, entry);
    Atomics.add(flags, 1, 1);
    renameSync(entry, link);
    take(hold, entry);
    // A moment of rest now and then, or no write of several steps would ever get through.
    if (Math.random() < 0.2) Atomics.wait(flags, 0, 0, Math.random() * 4);
  }
`;

interface Swapping {
  readonly swaps: () => number;
  readonly stop: () => Promise<void>;
}

function swap(entry: string, link: string): Swapping {
  const shared = new SharedArrayBuffer(8);
  const flags = new Int32Array(shared);
  const worker = new Worker(SWAPPER, { eval: true, workerData: { entry, link, hold: `${entry}-held`, shared } });
  const ended = new Promise<void>((resolve, reject) => {
    worker.once("exit", () => resolve());
    worker.once("error", reject);
  });
  let problem: unknown = null;
  ended.catch((error: unknown) => {
    problem = error;
  });
  const stop = async () => {
    Atomics.store(flags, 0, 1);
    await ended;
  };
  onTestFinished(stop);
  const swaps = () => {
    if (problem !== null) throw problem;
    return Atomics.load(flags, 1);
  };
  return { swaps, stop };
}

async function setUp() {
  const workspace = tempWorkspace({ "folder/file": "inside", single: "inside" });
  const { project, outside } = workspace;
  writeFileSync(join(outside, "file"), "SECRET");
  mkdirSync(join(outside, "sub"));
  symlinkSync(outside, join(project, "folder-link"));
  symlinkSync(join(outside, "file"), join(project, "single-link"));
  const roots = await loadRoots(NODE_DISK, [project]);
  return { ...workspace, place: (path: string) => resolveInside(NODE_DISK, roots, path) };
}

/** True when the attempt worked; a refusal and an entry that is gone for a moment are the other fair outcomes. */
async function attempt(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof PathRefusal || errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return false;
    throw error;
  }
}

/** Goes on until there were enough attempts, enough swaps, and at least one attempt that got through. */
async function race(swapping: Swapping, work: (round: number) => Promise<unknown>): Promise<void> {
  let worked = 0;
  for (let round = 0; round < ROUNDS || swapping.swaps() < ROUNDS || worked === 0; round += 1) {
    worked += Number(await attempt(() => work(round)));
  }
  await swapping.stop();
}

test("a parent swapped for a link out again and again never lets a read out", async () => {
  const { project, place } = await setUp();
  const seen = new Set<string>();
  await race(swap(join(project, "folder"), join(project, "folder-link")), async () => {
    const { bytes } = await loadFile(NODE_DISK, await place("folder/file"), 1000);
    seen.add(bytes.toString());
  });
  expect([...seen]).toEqual(["inside"]);
});

test("a file swapped for a link out again and again never lets a read out", async () => {
  const { project, place } = await setUp();
  const seen = new Set<string>();
  await race(swap(join(project, "single"), join(project, "single-link")), async () => {
    const { bytes } = await loadFile(NODE_DISK, await place("single"), 1000);
    seen.add(bytes.toString());
  });
  expect([...seen]).toEqual(["inside"]);
});

test("a folder swapped for a link out again and again is never listed outside", async () => {
  const { project, place } = await setUp();
  const seen = new Set<string>();
  await race(swap(join(project, "folder"), join(project, "folder-link")), async () => {
    const names = await withFolder(NODE_DISK, (await place("folder")).real, (folder) => folder.names());
    seen.add(names.sort().join());
  });
  expect([...seen]).toEqual(["file"]);
});

test("a parent swapped for a link out again and again never lets a write out", async () => {
  const { project, outside, place } = await setUp();
  await race(swap(join(project, "folder"), join(project, "folder-link")), async (round) => {
    const bytes = Buffer.from(`round ${round}`);
    const created = await place(`folder/sub/made/${round}`);
    await attempt(() => changeFiles(NODE_DISK, [{ kind: "create", place: created, bytes }]));
    const target = await place("folder/file");
    const { version } = await loadFile(NODE_DISK, target, 1000);
    await changeFiles(NODE_DISK, [{ kind: "replace", place: target, bytes, version }]);
  });
  expect(readdirSync(outside, { recursive: true }).sort()).toEqual(["file", "sub"]);
  expect(readFileSync(join(outside, "file"), "utf8")).toBe("SECRET");
});

test("a file swapped for a link out again and again never lets a write or a delete out", async () => {
  const { project, outside, place } = await setUp();
  await race(swap(join(project, "single"), join(project, "single-link")), async (round) => {
    const target = await place("single");
    const { version } = await loadFile(NODE_DISK, target, 1000);
    await changeFiles(NODE_DISK, [{ kind: "replace", place: target, bytes: Buffer.from(`round ${round}`), version }]);
  });
  expect(readFileSync(join(outside, "file"), "utf8")).toBe("SECRET");
});
