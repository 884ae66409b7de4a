import { median } from "../measure.mjs";
import { toCount } from "./amounts.mjs";

/** @typedef {import("./curve.mjs").MeasuredCurve} MeasuredCurve */

/**
 * Calls a second that machines answer together: no more than each alone, and no more than the cores that they share have
 * time for, where each machine more than there are cores adds the same cost to every call. Fitted to all sizes but the
 * largest, and checked against that one.
 * @param {MeasuredCurve} curve
 */
export function modelMachines({ points, machine }) {
  const measured = points.map(({ size, counts = {} }) => {
    const [second = Number.NaN, used = Number.NaN] = [counts.second, counts.used];
    return { size, second, used, each: (used * 1_000) / second };
  });
  const known = measured.slice(0, -1);
  const alone = known[0]?.second ?? Number.NaN;
  const busy = Math.max(...known.map(({ used }) => used));
  const cores = Number(/(\d+) cores/.exec(machine)?.[1]);
  const full = known.filter(({ size }) => size >= cores);
  // Where there are more cores than machines, what they have in common is something else.
  const [fitted, from] = full.length > 1 ? [full, cores] : [known, 0];
  const line = fitLine(fitted.map(({ size, each }) => [size - from, each]));
  const together = (/** @type {number} */ machines) =>
    Math.min(machines * alone, (busy * 1_000) / (line.at + line.by * Math.max(0, machines - from)));
  const computed = measured.map(({ size }) => together(size));
  const last = measured.at(-1);
  return {
    sizes: measured.map(({ size }) => size),
    fitted: known.map(({ size }) => size),
    cores,
    measured: measured.map(({ second }) => second),
    computed,
    /** By which share the largest was missed. */
    off: (computed.at(-1) ?? Number.NaN) / (last?.second ?? Number.NaN) - 1,
    alone,
  };
}

/** By least squares. @param {readonly (readonly [number, number])[]} points */
function fitLine(points) {
  const meanX = mean(points.map(([x]) => x));
  const meanY = mean(points.map(([, y]) => y));
  const by = mean(points.map(([x, y]) => (x - meanX) * (y - meanY))) / mean(points.map(([x]) => (x - meanX) ** 2));
  // Nothing becomes cheaper because more is done beside it: below zero is what two measurements differ by.
  return by > 0 ? { by, at: meanY - by * meanX } : { by: 0, at: meanY };
}

/** @param {readonly number[]} values */
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** @param {MeasuredCurve} curve */
export function describeMachines(curve) {
  const model = modelMachines(curve);
  const pg = median(curve.points.map(({ counts = {} }) => counts.pgCall ?? Number.NaN));
  const opened = curve.points.map(({ cpu }) => cpu["pg open"] ?? Number.NaN);
  const row = (/** @type {string} */ name, /** @type {readonly number[]} */ values) =>
    `| ${name} | ${values.map(toRound).join(" | ")} |`;
  const fitted = model.fitted.join(", ").replace(/, (\d+)$/, " and $1");
  const last = model.sizes.at(-1);
  return [
    `| machines | ${model.sizes.join(" | ")} |`,
    `|---|${model.sizes.map(() => "---").join("|")}|`,
    row(`calls a second, all on the same ${model.cores} cores: measured`, model.measured),
    row(`the same, computed from ${fitted} machines`, model.computed),
    row(
      `calls a second, ${model.cores} cores for each: computed`,
      model.sizes.map((size) => size * model.alone),
    ),
    row(
      "calls a second for which one core of PostgreSQL has time: computed",
      model.sizes.map(() => 1_000 / pg),
    ),
    row(
      "clients that may open a session in a second, one core of PostgreSQL: computed",
      opened.map((each) => 1_000 / each),
    ),
    "",
    `With ${last} machines the computed number is ${showShare(model.off)} what was measured. Nobody measured machines with cores of`,
    "their own here: those rows hold as long as nothing but cores is short.",
  ].join("\n");
}

/** @param {number} off */
function showShare(off) {
  const percent = Math.round(Math.abs(off) * 100);
  return percent === 0 ? "just" : `${percent} % ${off > 0 ? "above" : "below"}`;
}

/** Two digits that count. @param {number} value */
const toRound = (value) => toCount(Number(value.toPrecision(2)));
