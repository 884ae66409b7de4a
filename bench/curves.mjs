// How cost grows: `npm run curves [-- NAME …]` measures all curves of `bench/curves`, or those that are named, and writes
// `bench/curves.json`, the pictures in `docs/images`, and the figures of `docs/guides/how-it-grows.md`.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { exponentsOf } from "./how-it-grows/fit.mjs";
import { endMeasuring, measureCurve } from "./how-it-grows/measure-curve.mjs";
import { fillPage } from "./how-it-grows/page.mjs";
import { showExponent, toPicture } from "./how-it-grows/picture.mjs";
import { describePlan, readAssumptions } from "./how-it-grows/plan.mjs";
import { SCHEME_NAMES } from "./how-it-grows/scheme.mjs";

/**
 * @typedef {import("./how-it-grows/curve.mjs").Curve} Curve
 * @typedef {import("./how-it-grows/curve.mjs").AllMeasured} AllMeasured
 */

const HELP = `npm run curves [-- OPTIONS] [NAME ...]

Measures how cost grows, and writes the measurements (bench/curves.json), their pictures (docs/images) and the figures of
docs/guides/how-it-grows.md. Without a NAME it measures every curve: FOUND.

  --quick     one round, and only the smaller sizes; writes nothing
  --no-write  measures all, and writes nothing
  --pictures  measures nothing, and writes pictures and page from the measurements that are there
  --plan      measures nothing, and prints the planning table; what it assumes may follow, as in people=500 calls=60
  --help      this text

Ends with status 1 if something grows faster than its limit.
`;

const place = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));
const KEPT = place("./curves.json");
const PAGE = place("../docs/guides/how-it-grows.md");
const OPTIONS = ["--quick", "--no-write", "--pictures", "--help"];

/** @param {readonly string[]} given */
async function main(given) {
  if (given[0] === "--plan") {
    const measured = JSON.parse(readFileSync(KEPT, "utf8"));
    process.stdout.write(`${describePlan(measured, readAssumptions(given.slice(1)))}\n`);
    return 0;
  }
  const found = readdirSync(place("./curves")).flatMap((file) => (file.endsWith(".mjs") ? [file.slice(0, -4)] : []));
  const wrong = given.find((word) => !OPTIONS.includes(word) && !found.includes(word));
  if (wrong !== undefined) {
    process.stderr.write(`curves: ${wrong} is neither an option nor a curve; there are ${found.join(", ")}\n`);
    return 2;
  }
  if (given.includes("--help")) {
    process.stdout.write(HELP.replace("FOUND", found.join(", ")));
    return 0;
  }
  const names = given.filter((word) => !word.startsWith("--"));
  const isQuick = given.includes("--quick");
  /** @type {AllMeasured} */
  let kept = JSON.parse(readFileSync(KEPT, "utf8"));
  if (given.includes("--pictures")) {
    write(kept);
    return 0;
  }
  let missed = 0;
  for (const name of names.length === 0 ? found : names) {
    const start = performance.now();
    process.stderr.write(`${name}: measuring\n`);
    /** @type {{ curve: Curve }} */
    const { curve } = await import(`./curves/${name}.mjs`);
    const measured = await measureCurve(curve, isQuick);
    process.stderr.write(`${name}: ${Math.round((performance.now() - start) / 1000)} s\n`);
    missed += print(name, measured);
    kept = Object.fromEntries(Object.entries({ ...kept, [name]: measured }).sort(([a], [b]) => (a < b ? -1 : 1)));
    if (!isQuick && !given.includes("--no-write")) write(kept);
  }
  if (missed > 0) process.stderr.write(`${missed} grow faster than their limit\n`);
  return missed > 0 ? 1 : 0;
}

/** @param {string} name @param {AllMeasured[string]} measured @returns {number} how many exponents are above their limit */
function print(name, measured) {
  for (const point of measured.points) process.stdout.write(`${name} ${JSON.stringify(point)}\n`);
  const exponents = [...exponentsOf(measured)];
  for (const [line, { exponent, limit }] of exponents)
    process.stdout.write(`${name} ${line}: ${showExponent(exponent)}${limit === null ? "" : ` of ${limit}`}\n`);
  return exponents.filter(([, { exponent, limit }]) => limit !== null && !(exponent <= limit)).length;
}

/** @param {AllMeasured} all */
function write(all) {
  writeFileSync(KEPT, `${JSON.stringify(all, null, 2)}\n`);
  for (const [name, curve] of Object.entries(all))
    for (const scheme of SCHEME_NAMES)
      writeFileSync(place(`../docs/images/grows-${name}-${scheme}.svg`), toPicture(curve, scheme));
  writeFileSync(PAGE, fillPage(readFileSync(PAGE, "utf8"), all));
}

for (const [signal, status] of /** @type {const} */ ([
  ["SIGINT", 130],
  ["SIGTERM", 143],
]))
  process.once(signal, () => endMeasuring().finally(() => process.exit(status)));
process.exitCode = await main(process.argv.slice(2));
