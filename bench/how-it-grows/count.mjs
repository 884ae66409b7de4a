import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { median } from "../measure.mjs";

/**
 * CPU milliseconds of one `work`, of all threads of this process: the median of `rounds`, in each of which it runs `times`.
 * @param {() => unknown} work
 * @param {{ rounds?: number, times?: number, warmUp?: number }} [how]
 */
export async function cpuOf(work, { rounds = 5, times = 1, warmUp = rounds } = {}) {
  const costs = [];
  for (let round = -warmUp; round < rounds; round++) {
    const start = process.cpuUsage();
    for (let at = 0; at < times; at++) await work();
    const { user, system } = process.cpuUsage(start);
    if (round >= 0) costs.push((user + system) / 1000 / times);
  }
  return median(costs);
}

/** Bytes in use once garbage is gone, outside V8's heap as well. */
export async function heldBytes() {
  setFlagsFromString("--expose-gc");
  const collect = /** @type {() => void} */ (runInNewContext("gc"));
  for (let at = 0; at < 3; at++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
