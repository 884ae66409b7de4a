// Loaded into a gateway with `--import`: the first SIGUSR2 begins a profile, the second writes it to the file that
// TOOLCRIB_PROFILE_FILE names. TOOLCRIB_PROFILE says of what: `cpu`, `allocations`, or `survivors`, which are those allocations
// that outlived a small collection.
import { renameSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector";

const { TOOLCRIB_PROFILE: what = "cpu", TOOLCRIB_PROFILE_FILE: file = "" } = process.env;
const session = new Session();
session.connect();
let isRunning = false;

process.on("SIGUSR2", () => {
  if (isRunning) stop();
  else start();
  isRunning = !isRunning;
});

function start() {
  if (what === "cpu") {
    session.post("Profiler.enable");
    session.post("Profiler.setSamplingInterval", { interval: 200 });
    session.post("Profiler.start");
  } else {
    session.post("HeapProfiler.startSampling", {
      samplingInterval: 4096,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: what === "allocations",
    });
  }
}

function stop() {
  /** @param {Error | null} error @param {{ profile?: object }} [answer] */
  const write = (error, answer) => {
    if (error !== null) throw error;
    writeFileSync(`${file}.part`, JSON.stringify(answer?.profile));
    renameSync(`${file}.part`, file);
  };
  if (what === "cpu") session.post("Profiler.stop", write);
  else session.post("HeapProfiler.stopSampling", write);
}
