/** @typedef {import("./curve.mjs").MeasuredCurve} MeasuredCurve */

/** The name under which a curve's memory stands among its exponents. */
export const MEMORY = "memory";

/**
 * The part of a curve that is fitted: its upper half, and at least three sizes. Below, a figure is mostly what it costs to
 * do anything at all, so that a fit of the whole range would make every growth look flat.
 * @param {MeasuredCurve} curve
 */
export function upperPart({ points }) {
  return points.slice(-Math.max(3, Math.ceil(points.length / 2)));
}

/**
 * By which power of the size each figure of a curve grows: the slope of a straight line through the logarithms.
 * @param {MeasuredCurve} curve
 * @returns {ReadonlyMap<string, { exponent: number, limit: number | null }>}
 */
export function exponentsOf(curve) {
  const upper = upperPart(curve);
  const entries = Object.entries(curve.lines).map(([name, { limit = null }]) => {
    const exponent = slope(upper.map(({ size, cpu }) => [size, cpu[name] ?? Number.NaN]));
    return /** @type {const} */ ([name, { exponent, limit }]);
  });
  if (curve.memory === undefined) return new Map(entries);
  const memory = slope(upper.map(({ size, memory: bytes }) => [size, bytes ?? Number.NaN]));
  return new Map([...entries, [MEMORY, { exponent: memory, limit: curve.memory.limit ?? null }]]);
}

/** @param {readonly (readonly [number, number])[]} points */
function slope(points) {
  const logs = points.map(([x, y]) => ({ x: Math.log(x), y: Math.log(y) }));
  const meanX = sum(logs.map(({ x }) => x)) / logs.length;
  const meanY = sum(logs.map(({ y }) => y)) / logs.length;
  return sum(logs.map(({ x, y }) => (x - meanX) * (y - meanY))) / sum(logs.map(({ x }) => (x - meanX) ** 2));
}

/** @param {readonly number[]} values */
const sum = (values) => values.reduce((all, value) => all + value, 0);
