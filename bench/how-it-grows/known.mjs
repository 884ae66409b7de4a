import { exponentsOf } from "./fit.mjs";
import { showExponent } from "./picture.mjs";

/** @typedef {import("./curve.mjs").AllMeasured} AllMeasured */

/**
 * What grows faster than it may, as far as it is known: the exponent it has at most, and why. Take off the list what you mend.
 * @type {Readonly<Record<string, { most: number, why: string }>>}
 */
export const KNOWN = {
  "clients: call": {
    most: 0.35,
    why: "with 10,000, a client that is awake costs as much as one that was silent; the reason is not known",
  },
  "machines: pg idle": {
    most: 1.3,
    why: "each of eight machines makes 3.3 round trips a second, one alone 2.3; a round trip costs PostgreSQL 0.3 ms with one as with eight, and less with two, where the exponent begins",
  },
  "servers: list": { most: 1.1, why: "as with tools" },
  "tools: list": {
    most: 1.2,
    why: "this was measured while the rows of all tools were in memory until the last of them was text; what is left is probably that processors keep 1,000 tools in their caches, and not the 430 MB of 100,000",
  },
  "tools: why": { most: 1.15, why: "this was measured before near names of many tools were found in fewer steps" },
};

/**
 * Everything that grows faster than its limit, with its exponent.
 * @param {AllMeasured} all
 */
export function findMissed(all) {
  return Object.entries(all).flatMap(([name, curve]) =>
    [...exponentsOf(curve)].flatMap(([line, { exponent, limit }]) =>
      limit !== null && !(exponent <= limit) ? [{ line: `${name}: ${line}`, exponent, limit }] : [],
    ),
  );
}

/** The same for people. @param {AllMeasured} all */
export function describeMissed(all) {
  const missed = findMissed(all);
  if (missed.length === 0) return "Nothing grows faster than its limit.";
  const rows = missed.map(({ line, exponent, limit }) => {
    const why = KNOWN[line]?.why ?? "not known yet";
    return `| ${line} | ${showExponent(exponent)} | ${limit} | ${why} |`;
  });
  return ["| | exponent | limit | why |", "|---|---|---|---|", ...rows].join("\n");
}
