// Learns by what the scanner weighs sentences (docs/reference/trust.md), and measures it on sets that it never saw.
//
//   npm run setup && node scripts/train-scanner.mjs --catalog FILE… [--cases FILE…] [--measure] [--write]
//
// With --measure every set is scored by weights that were learned without it. After --write: npx biome check --write src
// Cases are those of test/fixtures/security and of any further file as "toolcrib eval scan" reads it; catalogs are tools
// of real servers, all taken for honest: JSON with lists "tools" in it, or one tool a line. `scan-ninth.jsonl`,
// `scan-tenth.jsonl`, `scan-eleventh.jsonl` and `scan-twelfth.jsonl` are never learned from, so that there are always sets that the weights as shipped do not know.
import { readdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { FOREIGN_FLOOR, findWorst, learn, learnBids } from "./learning/sentence-weights.mjs";
import { Features, readCases, readCatalog } from "./learning/sentences.mjs";

const KEPT_APART = new Set(["scan-ninth.jsonl", "scan-tenth.jsonl", "scan-eleventh.jsonl", "scan-twelfth.jsonl"]);
/** What a sentence has to weigh more than; part of the bias as shipped. */
const MORE_THAN = -0.8;
const FOLDER = fileURLToPath(new URL("../test/fixtures/security/", import.meta.url));
const TARGET = fileURLToPath(new URL("../src/core/trust/sentence-weights.ts", import.meta.url));
const FOREIGN_TARGET = fileURLToPath(new URL("../src/core/trust/foreign-weights.ts", import.meta.url));
const TABLES = [
  "words",
  "parameterWords",
  "pairs",
  "classes",
  "opens",
  "parameterClasses",
  "near",
  "atHome",
  "abroad",
  "bids",
  "bidWords",
];
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

const toKnown = (/** @type {string | null} */ left) => [
  ...files.filter((file) => file !== left && !KEPT_APART.has(file)).flatMap((file) => sets.get(file) ?? []),
  ...more,
];
const learned = learnEnglish([...toKnown(null), ...honest]);
const abroad = learnForeign([...toKnown(null), ...honest]);

console.log("| set | attacks found | false alarms |\n|---|---|---|");
for (const file of values.measure ? files : KEPT_APART)
  report(file, KEPT_APART.has(file) ? learned : learnEnglish([...toKnown(file), ...honest]));
if (values.write) {
  const names = features.names();
  const bids = learnBids(toKnown(null).filter(isEnglish), learned, (feature) =>
    /^(?:classes|words) /.test(names[feature] ?? ""),
  );
  writeFileSync(TARGET, toSource(learned, bids));
  writeFileSync(FOREIGN_TARGET, toForeignSource(abroad));
}

/** @param {import("./learning/sentences.mjs").Definition} definition */
function isEnglish({ label, sentences, foreign }) {
  return sentences.length > 0 && (label === 0 || foreign.length === 0);
}

/** @param {readonly import("./learning/sentences.mjs").Definition[]} definitions */
function learnEnglish(definitions) {
  return learn(definitions.filter(isEnglish), size);
}

/** By their sentences of other languages alone. @param {readonly import("./learning/sentences.mjs").Definition[]} definitions */
function learnForeign(definitions) {
  const foreign = definitions.filter((one) => one.foreign.length > 0 && !one.isVariant);
  return learn(
    foreign.map((one) => ({ ...one, sentences: one.foreign })),
    size,
    FOREIGN_FLOOR,
  );
}

/** @param {string} file @param {import("./learning/sentence-weights.mjs").Learned} learned */
function report(file, { bias, weights }) {
  const definitions = (sets.get(file) ?? []).filter(({ isVariant }) => !isVariant);
  const alarms = definitions.map(({ label, sentences }) => ({
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
function toForeignSource({ bias, weights }) {
  const rows = (/** @type {string} */ table) => {
    /** @type {Map<number, string[]>} */
    const found = new Map();
    features.names().forEach((name, feature) => {
      const tenths = Math.round((weights[feature] ?? 0) * 10);
      if (tenths === 0 || !name.startsWith(`${table} `)) return;
      found.set(tenths, [...(found.get(tenths) ?? []), name.slice(table.length + 1)]);
    });
    return toRows(found);
  };
  return `import type { ForeignTables } from "./sentence-tables.ts";

/** Learned by \`scripts/train-scanner.mjs\`; not to be changed by hand. */
export const FOREIGN_WEIGHTS: ForeignTables = {
  bias: ${Math.round(bias * 10)},
  classes: [\n${rows("foreignClasses")}\n  ],
  pairs: [\n${rows("foreignPairs")}\n  ],
};
`;
}

/** @param {ReadonlyMap<number, string[]>} rows by weight */
function toRows(rows) {
  return [...rows]
    .sort(([one], [other]) => other - one)
    .map(([weight, texts]) => `    ${JSON.stringify(`${weight} ${texts.sort().join("|")}`)},`)
    .join("\n");
}

/**
 * @param {import("./learning/sentence-weights.mjs").Learned} learned
 * @param {import("./learning/sentence-weights.mjs").Learned} bids
 */
function toSource({ bias, weights }, bids) {
  /** @type {Map<string, Map<number, string[]>>} */
  const tables = new Map(["standings", ...TABLES].map((table) => [table, new Map()]));
  const put = (
    /** @type {string} */ table,
    /** @type {string} */ text,
    /** @type {number | undefined} */ weight = 0,
  ) => {
    const tenths = Math.round(weight * 10);
    if (tenths === 0 || /[|\\"]/.test(text)) return;
    const rows = tables.get(table);
    rows?.set(tenths, [...(rows.get(tenths) ?? []), text]);
  };
  features.names().forEach((name, feature) => {
    const [table = "", text = ""] = name.split(/ (.*)/s);
    put(table, text, weights[feature]);
    if (table === "classes") put("bids", text, bids.weights[feature]);
    if (table === "words") put("bidWords", text, bids.weights[feature]);
  });
  const weightOf = (/** @type {string} */ standing) =>
    [...(tables.get("standings") ?? [])].find(([, texts]) => texts.includes(standing))?.[0] ?? 0;
  return `import type { SentenceTables } from "./sentence-tables.ts";

/** Learned by \`scripts/train-scanner.mjs\`; not to be changed by hand. */
export const SENTENCE_WEIGHTS: SentenceTables = {
  bias: ${Math.round((bias - MORE_THAN) * 10)},
  bidBias: ${Math.round(bids.bias * 10)},
  standings: { ${STANDINGS.map((one) => `${one}: ${weightOf(one)}`).join(", ")} },
${TABLES.map((table) => `  ${table}: [\n${toRows(tables.get(table) ?? new Map())}\n  ],`).join("\n")}
};
`;
}
