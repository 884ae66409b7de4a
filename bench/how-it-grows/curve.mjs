/**
 * What a file in `bench/curves` exports as `curve`, and what is kept of it. Types only; nothing here runs.
 *
 * A module imports what it measures inside `measure`, so that what a curve is can be read without a build:
 * `const { createSession } = await import("../../dist/index.js")`.
 *
 * @typedef {object} Line one line of the picture
 * @property {string} what what the figure is, as a part of a sentence: "CPU to assemble them from raw fields"
 * @property {number} [limit] the greatest exponent with which it may grow; absent where growth in proportion is not the question
 *
 * @typedef {object} Counted a figure that is no line of the picture
 * @property {string} what it is, as a part of a sentence: "rows on the disk for each session"
 * @property {"bytes" | "ms"} [unit] a number of something where it is absent
 *
 * @typedef {object} Facts
 * @property {string} title a heading: "Tools"
 * @property {string} unit what is counted along the lower edge: "tools"
 * @property {string} what one sentence: what was there when this was measured
 * @property {Readonly<Record<string, Line>>} lines CPU time, by a short name that is drawn beside the line; up to six
 * @property {Line} [memory] what the bytes are, where memory is measured
 * @property {Readonly<Record<string, Counted>>} [counts] what else somebody plans with, below the picture
 *
 * @typedef {object} OwnFacts
 * @property {string} name that of the file, without its ending
 * @property {readonly number[]} sizes from the smallest
 * @property {number} [quick] the largest size of a quick run; all of them if it is absent
 * @property {number} [rounds] how many processes measure each size; the median of each figure counts. 3 if it is absent
 * @property {(size: number) => Promise<Measured>} measure runs in a process of its own for each size and round
 *
 * @typedef {Facts & OwnFacts} Curve
 *
 * @typedef {object} Measured
 * @property {Readonly<Record<string, number>>} cpu milliseconds of CPU time, one for each line
 * @property {number} [memory] bytes
 * @property {Readonly<Record<string, number>>} [counts] one for each of the curve's
 *
 * @typedef {Measured & { readonly size: number }} Point
 * @typedef {Facts & { readonly machine: string, readonly points: readonly Point[] }} MeasuredCurve as it is kept in `bench/curves.json`
 * @typedef {Readonly<Record<string, MeasuredCurve>>} AllMeasured by the curve's name
 */
export {};
