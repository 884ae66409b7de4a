// `node --expose-gc measure-point.mjs NAME SIZE`: one size of one curve, in a process of its own; prints what was measured as JSON.
/** @typedef {import("./curve.mjs").Curve} Curve */

const [name, size] = process.argv.slice(2);
/** @type {{ curve: Curve }} */
const { curve } = await import(new URL(`../curves/${name}.mjs`, import.meta.url).href);
const measured = await curve.measure(Number(size));
process.stdout.write(`\n${JSON.stringify(measured)}\n`, () => process.exit());
