// Loaded into a gateway with `--expose-gc --import`: on SIGUSR2 it collects garbage and writes what is still used, in bytes, to the
// file that TOOLCRIB_SOAK_FILE names. With TOOLCRIB_SOAK_SNAPSHOTS it writes a snapshot of its heap to that folder, too.
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import { writeHeapSnapshot } from "node:v8";

const { TOOLCRIB_SOAK_FILE: file = "", TOOLCRIB_SOAK_SNAPSHOTS: snapshots } = process.env;
let readings = 0;

process.on("SIGUSR2", async () => {
  // What the first round finalizes is free after the second.
  for (let round = 0; round < 3; round++) {
    await globalThis.gc?.({ type: "major", execution: "async" });
    await pass(100);
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  writeFileSync(`${file}.new`, JSON.stringify({ used: heapUsed + external, resident: rss }));
  if (snapshots !== undefined) writeHeapSnapshot(join(snapshots, `${++readings}.heapsnapshot`));
  renameSync(`${file}.new`, file);
});
