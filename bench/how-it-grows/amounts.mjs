// Amounts as people read them.

/** @type {readonly (readonly [number, string])[]} */
const TIMES = [
  [3_600_000, "h"],
  [60_000, "min"],
  [1_000, "s"],
  [1, "ms"],
  [0.001, "µs"],
  [0.000_001, "ns"],
];
/** @type {readonly (readonly [number, string])[]} */
const SIZES = [
  [2 ** 30, "GB"],
  [2 ** 20, "MB"],
  [2 ** 10, "KB"],
  [1, "bytes"],
];

/** @param {number} ms */
export const toTime = (ms) => toAmount(ms, TIMES);
/** @param {number} bytes */
export const toBytes = (bytes) => toAmount(bytes, SIZES);
/** @param {number} count */
export const toCount = (count) => String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ",");
/** @param {number} value */
export const toNumber = (value) => toDigits(value >= 100 ? value : Number(value.toPrecision(2)));

/** Two digits that count: nobody plans with three. @param {number} value @param {readonly (readonly [number, string])[]} units */
function toAmount(value, units) {
  const rounded = (/** @type {readonly [number, string]} */ [unit]) => Number((value / unit).toPrecision(2));
  const [unit, name] = units.find((one) => rounded(one) >= 1) ?? units.at(-1) ?? [1, ""];
  return `${toDigits(rounded([unit, name]))} ${name}`;
}

/** @param {number} value */
const toDigits = (value) => (value >= 100 ? toCount(value) : String(value));
