// Learns by what the scanner weighs sentences (docs/reference/trust.md), and measures it on sets that it never saw.
//
//   npm run setup && node scripts/train-scanner.mjs --catalog FILE… [--cases FILE…] [--measure] [--write]
//
// With --measure every set is scored by weights that were learned without it. After --write: npx biome check --write src
// Cases are those of test/fixtures/security and of any further file as "toolcrib eval scan" reads it; catalogs are tools
// of real servers, all taken for honest: JSON with lists "tools" in it, or one tool a line. `scan-seventh.jsonl` is never
// learned from, so that there is always a set that the weights as shipped do not know.
import { readdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { findWorst, learn } from "./learning/sentence-weights.mjs";
import { Features, readCases, readCatalog } from "./learning/sentences.mjs";

const KEPT_APART = "scan-seventh.jsonl";
const MORE_THAN = 1;
const FOLDER = fileURLToPath(new URL("../test/fixtures/security/", import.meta.url));
const TARGET = fileURLToPath(new URL("../src/core/trust/sentence-weights.ts", import.meta.url));
const TABLES = ["words", "parameterWords", "pairs", "classes", "opens", "parameterClasses", "near"];
const STANDINGS = ["opening", "description", "parameter", "key", "schema"];

const several = { type: /** @type {const} */ ("string"), multiple: /** @type {const} */ (true), default: [] };
const { values } = parseArgs({
  options: {
    catalog: several,
    cases: several,
    measure: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});

const features = new Features();
const files = readdirSync(FOLDER)
  .filter((file) => /^(?:scan-.*|.*-definitions)\.jsonl$/.test(file))
  .sort();
const sets = new Map(files.map((file) => [file, readCases(`${FOLDER}${file}`, features)]));
const more = values.cases.flatMap((file) => readCases(file, features));
const honest = values.catalog.flatMap((file) => readCatalog(file, features));
const size = features.names().length;

console.log("| set | attacks found | false alarms |\n|---|---|---|");
for (const file of values.measure ? files : [KEPT_APART]) {
  const others = files.filter((other) => other !== file && other !== KEPT_APART);
  report(file, learn([...others.flatMap((other) => sets.get(other) ?? []), ...more, ...honest], size));
}
if (values.write) {
  const known = files.filter((file) => file !== KEPT_APART).flatMap((file) => sets.get(file) ?? []);
  writeFileSync(TARGET, toSource(learn([...known, ...more, ...honest], size)));
}

/** @param {string} file @param {import("./learning/sentence-weights.mjs").Learned} learned */
function report(file, { bias, weights }) {
  const alarms = (sets.get(file) ?? []).map(({ label, sentences }) => ({
    label,
    told: findWorst(sentences, weights, bias).score > MORE_THAN,
  }));
  const count = (/** @type {number} */ label) => {
    const all = alarms.filter((one) => one.label === label);
    return `${all.filter(({ told }) => told).length}/${all.length}`;
  };
  console.log(`| ${file} | ${count(1)} | ${count(0)} |`);
}

/** @param {import("./learning/sentence-weights.mjs").Learned} learned */
function toSource({ bias, weights }) {
  /** @type {Map<string, Map<number, string[]>>} */
  const tables = new Map(["standings", ...TABLES].map((table) => [table, new Map()]));
  features.names().forEach((name, feature) => {
    const weight = Math.round((weights[feature] ?? 0) * 10);
    const [table = "", text = ""] = name.split(/ (.*)/s);
    if (weight === 0 || /[|\\"]/.test(text)) return;
    const rows = tables.get(table);
    rows?.set(weight, [...(rows.get(weight) ?? []), text]);
  });
  const toRows = (/** @type {string} */ table) =>
    [...(tables.get(table) ?? [])]
      .sort(([one], [other]) => other - one)
      .map(([weight, texts]) => `    ${JSON.stringify(`${weight} ${texts.sort().join("|")}`)},`)
      .join("\n");
  const weightOf = (/** @type {string} */ standing) =>
    [...(tables.get("standings") ?? [])].find(([, texts]) => texts.includes(standing))?.[0] ?? 0;
  return `import type { Standing } from "./evidence.ts";

/** In each row a weight in tenths, and all that has it. */
export type Weights = readonly string[];

interface Tables {
  readonly bias: number;
  readonly standings: Readonly<Record<Standing, number>>;
  /** Without endings. The tables of parameters count for what is said of one, besides the others. */
  readonly words: Weights;
  readonly parameterWords: Weights;
  readonly pairs: Weights;
  readonly classes: Weights;
  readonly opens: Weights;
  readonly parameterClasses: Weights;
  readonly near: Weights;
}

/** Learned by \`scripts/train-scanner.mjs\`; not to be changed by hand. */
export const SENTENCE_WEIGHTS: Tables = {
  bias: ${Math.round(bias * 10)},
  standings: { ${STANDINGS.map((one) => `${one}: ${weightOf(one)}`).join(", ")} },
${TABLES.map((table) => `  ${table}: [\n${toRows(table)}\n  ],`).join("\n")}
};
`;
}
