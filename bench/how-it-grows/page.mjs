import { toBytes, toCount, toNumber, toTime } from "./amounts.mjs";
import { exponentsOf, MEMORY, upperPart } from "./fit.mjs";
import { describeMissed } from "./known.mjs";
import { describeMachines } from "./model.mjs";
import { showExponent, toWords } from "./picture.mjs";
import { canPlan, describeOne, describePlan, readAssumptions } from "./plan.mjs";

/**
 * @typedef {import("./curve.mjs").MeasuredCurve} MeasuredCurve
 * @typedef {import("./curve.mjs").AllMeasured} AllMeasured
 */

/** The page with everything between its marks as the measurements have it. @param {string} page @param {AllMeasured} all */
export function fillPage(page, all) {
  let filled = page;
  for (const [name, curve] of Object.entries(all)) filled = fill(filled, name, toSection(name, curve));
  if (all.machines !== undefined) filled = fill(filled, "machines-model", describeMachines(all.machines));
  filled = fill(filled, "missed", describeMissed(all));
  if (!canPlan(all)) return filled;
  return fill(fill(filled, "one", describeOne(all)), "plan", describePlan(all, readAssumptions([])));
}

/** @param {string} page @param {string} mark @param {string} content */
function fill(page, mark, content) {
  const [open, close] = [`<!-- ${mark} -->`, `<!-- /${mark} -->`];
  const [from, to] = [page.indexOf(open), page.indexOf(close)];
  if (from < 0 || to < from)
    throw new Error(`docs/guides/how-it-grows.md needs the lines "${open}" and "${close}" where "${mark}" belongs`);
  return `${page.slice(0, from + open.length)}\n${content}\n${page.slice(to)}`;
}

/** @param {string} name @param {MeasuredCurve} curve */
function toSection(name, curve) {
  const picture = [
    "<picture>",
    `  <source media="(prefers-color-scheme: dark)" srcset="../images/grows-${name}-dark.svg">`,
    `  <img src="../images/grows-${name}-light.svg" width="480" alt="${escapeHtml(toWords(curve))}">`,
    "</picture>",
  ].join("\n");
  const upper = upperPart(curve);
  const range = `${toCount(upper[0]?.size ?? 0)} to ${toCount(upper.at(-1)?.size ?? 0)}`;
  return `${picture}\n\n${toTable(curve, range)}\n\n\`npm run curves -- ${name}\`. ${curve.machine}.`;
}

/** @param {MeasuredCurve} curve @param {string} range */
function toTable(curve, range) {
  const [middle, last] = [upperPart(curve)[0], curve.points.at(-1)];
  const exponents = exponentsOf(curve);
  const rows = [...exponents].map(([line, { exponent, limit }]) => {
    const isMemory = line === MEMORY;
    const show = (/** @type {typeof last} */ point) =>
      isMemory ? toBytes(point?.memory ?? 0) : toTime(point?.cpu[line] ?? 0);
    const what = isMemory ? curve.memory?.what : curve.lines[line]?.what;
    const isMissed = limit !== null && exponent > limit;
    const most = limit === null ? "" : isMissed ? ` (**above its limit of ${limit}**)` : ` (at most ${limit})`;
    return `| ${line}: ${what} | ${show(middle)} | ${show(last)} | ${showExponent(exponent)}${most} |`;
  });
  const counts = Object.entries(curve.counts ?? {}).map(([name, { what, unit }]) => {
    const toAmount = unit === "bytes" ? toBytes : unit === "ms" ? toTime : toNumber;
    const show = (/** @type {typeof last} */ point) => toAmount(point?.counts?.[name] ?? 0);
    return `| ${what} | ${show(middle)} | ${show(last)} | |`;
  });
  const at = (/** @type {typeof last} */ point) => toCount(point?.size ?? 0);
  const head = `| ${curve.unit} | ${at(middle)} | ${at(last)} | exponent, ${range} |`;
  return [head, "|---|---|---|---|", ...rows, ...counts].join("\n");
}

/** @param {string} words */
const escapeHtml = (words) => words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
