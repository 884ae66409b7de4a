// `node --expose-gc measure-point.mjs NAME SIZE`: one size of one curve, in a process of its own; prints what was measured as JSON.
import { tidyUp } from "./tidy.mjs";

/** @typedef {import("./curve.mjs").Curve} Curve */

const [name, size] = process.argv.slice(2);
let isEnded = false;
// PostgreSQL's package ends the process by itself on a signal that is meant to end one.
process.once("SIGUSR2", () => {
  isEnded = true;
  void tidyUp().finally(() => process.exit(143));
});

async function main() {
  /** @type {{ curve: Curve }} */
  const { curve } = await import(new URL(`../curves/${name}.mjs`, import.meta.url).href);
  const measured = await curve.measure(Number(size));
  process.stdout.write(`\n${JSON.stringify(measured)}\n`);
}

/** @param {unknown} error */
function fail(error) {
  // What is measured fails when all it works on is taken away.
  if (isEnded) return;
  console.error(error);
  void tidyUp().finally(() => process.exit(1));
}

process.on("uncaughtException", fail);
await main().then(async () => {
  await tidyUp();
  process.exit();
}, fail);
