/**
 * Median milliseconds of CPU time of `work`, each round on what `prepare` made for it, so that nothing is warm that should not be.
 * @template T
 * @param {number} rounds
 * @param {() => T} prepare
 * @param {(prepared: T) => unknown} work
 */
export function medianMs(rounds, prepare, work) {
  const times = [];
  for (let round = 0; round < rounds; round++) {
    const prepared = prepare();
    const start = process.cpuUsage();
    sink = work(prepared);
    const { user, system } = process.cpuUsage(start);
    times.push((user + system) / 1000);
  }
  return median(times);
}

/** Keeps the optimiser from dropping work whose result nobody reads. */
export let sink = /** @type {unknown} */ (null);

/** @param {number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
