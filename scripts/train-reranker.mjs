// Learns the weights of the search reranker, and measures them and the word vectors on sets that they never saw.
//
//   npm run setup && node scripts/train-reranker.mjs --data DIR [--write]
//
// DIR holds one folder per set with catalog.jsonl and queries.jsonl, as "toolcrib eval search" reads them. Sets that
// share queries or tasks are one family: a set is scored by weights learned without any query of its family. The word
// vectors have seen requests for the tools of MetaTool, so wherever that set is scored or learned from, vectors stand
// in that were learned without it.
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { computeFeatures, FEATURES } from "../dist/core/search/features.js";
import { MAX_CANDIDATES } from "../dist/core/search/rank-words.js";
import { readWords } from "../dist/core/search/read-words.js";
import { scoreWords } from "../dist/core/search/score-words.js";
import { SearchIndex } from "../dist/core/search/search-index.js";
import { shippedVectors, unpackVectors } from "../dist/core/search/word-vectors.js";
import { halfOf, loadCorpus, readLines, withoutMetaTool } from "./learning/corpus.mjs";
import { bootstrap, learn, mean, measure, start, WIDTH } from "./learning/reranker.mjs";
import { trainVectors } from "./learning/train-vectors.mjs";

/**
 * @typedef {import("./learning/reranker.mjs").Labels} Labels
 * @typedef {import("./learning/reranker.mjs").Sample} Sample
 * @typedef {import("../dist/core/search/word-vectors.js").WordVectors} WordVectors
 * @typedef {import("../dist/core/search/tool-text.js").ToolText} ToolText
 * @typedef {{ id: string, query: string, gold: string[], goldGroups?: string[][] }} QueryLine
 * @typedef {{ labels: Labels, shipped: Float64Array, careful: Float64Array }} Request both kinds of vectors
 */

const METATOOL = "metatool";
const MIXED = "large";
/** The last two features are those of the vectors. */
const WORDS_ONLY = WIDTH - 2;

const { values } = parseArgs({ options: { data: { type: "string" }, write: { type: "boolean", default: false } } });
if (values.data === undefined) throw new Error("--data DIR is needed");
const folder = values.data;
const corpus = loadCorpus(folder);
const careful = unpackVectors(trainVectors(withoutMetaTool(corpus)));
const sets = loadSets();
const shipped = learn([...sets].map(([name, requests]) => toSamples(requests, name === METATOOL)));

console.log(
  "| set | queries | first stage | words alone, never seen | with vectors, never seen | to the first stage (95 %) | by the vectors (95 %) | as shipped |",
);
console.log("|---|---|---|---|---|---|---|---|");
/** @type {Map<string, { before: number[], words: number[], after: number[], shipped: number[] }>} */
const scores = new Map();
/** @type {{ words: Float64Array, after: Float64Array } | null} */
let mixed = null;
for (const [name, requests] of sets) {
  const isCareful = name === METATOOL;
  const others = [...sets].map(([other, its]) =>
    toSamples(
      its.filter((one) => !isKin(one, requests)),
      isCareful || other === METATOOL,
    ),
  );
  const unseen = { words: learn(others, WORDS_ONLY), after: learn(others) };
  if (name === MIXED) mixed = unseen;
  const samples = toSamples(requests, isCareful);
  scores.set(name, {
    before: samples.map((sample) => measure(sample, start)),
    words: samples.map((sample) => measure(sample, unseen.words)),
    after: samples.map((sample) => measure(sample, unseen.after)),
    shipped: toSamples(requests, false).map((sample) => measure(sample, shipped)),
  });
  printRow(name, [scores.get(name)]);
}
printRow("mean", [...scores.values()]);
if (mixed !== null) printRow(`${MIXED}, APIs never seen`, [measureHalves(mixed)]);
if (values.write) writeWeights(shipped);

/** @param {string} name @param {({ before: number[], words: number[], after: number[], shipped: number[] } | undefined)[]} rows */
function printRow(name, rows) {
  const all = rows.flatMap((row) => (row === undefined ? [] : [row]));
  const [before, words, after, last] = /** @type {const} */ (["before", "words", "after", "shipped"]).map((column) =>
    mean(all.map((row) => mean(row[column]))),
  );
  const toFirst = bootstrap(all.map((row) => [row.before, row.after]));
  const toWords = bootstrap(all.map((row) => [row.words, row.after]));
  const cells = [
    name,
    all.length === 1 ? String(all[0]?.before.length) : "",
    percent(before),
    percent(words),
    percent(after),
    `${signed((after ?? 0) - (before ?? 0))} (${signed(toFirst.low)} to ${signed(toFirst.high)})`,
    `${signed((after ?? 0) - (words ?? 0))} (${signed(toWords.low)} to ${signed(toWords.high)})`,
    Number.isNaN(last) ? "" : percent(last),
  ];
  console.log(`| ${cells.join(" | ")} |`);
}

/** @returns {Map<string, Request[]>} */
function loadSets() {
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, "queries.jsonl")));
  return new Map(names.sort().map((name) => [name, loadSet(name)]));
}

/** @param {string} name @returns {Request[]} */
function loadSet(name) {
  const both = askAll(name, readLines(join(folder, name, "catalog.jsonl")), [shippedVectors(), careful]);
  return both.map(({ labels, rows }) => ({
    labels,
    shipped: rows[0] ?? new Float64Array(0),
    careful: rows[1] ?? new Float64Array(0),
  }));
}

/** The candidates of every query of a set, with features for each kind of vectors. @param {string} name @param {ToolText[]} tools @param {WordVectors[]} kinds */
function askAll(name, tools, kinds) {
  const index = new SearchIndex();
  for (const tool of tools) index.add(tool.name, tool);
  const allowed = new Uint8Array(index.slots.length).fill(1);
  return readLines(join(folder, name, "queries.jsonl")).map(
    (/** @type {QueryLine} */ { id, query, gold, goldGroups }) => {
      const words = readWords(index, query);
      const candidates = scoreWords(index, words.terms, allowed, MAX_CANDIDATES);
      const names = candidates.map(({ slot }) => index.slots[slot]?.name ?? "");
      const wanted = new Set(gold);
      return {
        labels: {
          id,
          groups: goldGroups ?? gold.map((one) => [one]),
          names,
          isGold: names.map((one) => (wanted.has(one) ? 1 : 0)),
        },
        rows: kinds.map((vectors) => computeFeatures(index, words, candidates, vectors)),
      };
    },
  );
}

/**
 * The vectors were learned from texts of APIs that are wrong answers in the mixed set. Here one half of the APIs is
 * learned from and taken out of the catalog, then the other.
 * @param {{ words: Float64Array, after: Float64Array }} weights
 */
function measureHalves({ words, after }) {
  const apis = new Set(corpus.operations.map(({ server }) => server));
  const tools = readLines(join(folder, MIXED, "catalog.jsonl"));
  const halves = [0, 1].map((half) => {
    const seen = (/** @type {string} */ server) => apis.has(server) && halfOf(server) === half;
    const vectors = trainVectors({ ...corpus, operations: corpus.operations.filter(({ server }) => seen(server)) });
    const left = tools.filter(({ server }) => !seen(server));
    return askAll(MIXED, left, [unpackVectors(vectors)]).map(({ labels, rows }) => ({
      labels,
      rows: rows[0] ?? new Float64Array(0),
    }));
  });
  const average = (/** @type {Float64Array} */ weights) => {
    const [first = [], second = []] = halves.map((samples) => samples.map((sample) => measure(sample, weights)));
    return first.map((value, at) => (value + (second[at] ?? 0)) / 2);
  };
  return { before: average(start), words: average(words), after: average(after), shipped: [Number.NaN] };
}

/** @param {Request[]} requests @param {boolean} isCareful @returns {Sample[]} */
function toSamples(requests, isCareful) {
  return requests.map(({ labels, shipped: rows, careful: other }) => ({ labels, rows: isCareful ? other : rows }));
}

/** The same query may stand in several sets, and two sets of one source ask about the same tasks. @param {string} id */
function familyOf(id) {
  if (id.startsWith("live")) return "live";
  if (id.startsWith(METATOOL)) return METATOOL;
  return /^G\d/.test(id) ? "toolbench" : "seal-tools";
}

/**
 * A mixed set is held out query by query, a set of one family with its whole family.
 * @param {Request} other @param {Request[]} requests
 */
function isKin({ labels }, requests) {
  const families = new Set(requests.map((one) => familyOf(one.labels.id)));
  if (families.size === 1) return families.has(familyOf(labels.id));
  return requests.some((one) => one.labels.id === labels.id);
}

/** @param {number | undefined} share */
function percent(share = 0) {
  return (100 * share).toFixed(1);
}

/** @param {number} share */
function signed(share) {
  return `${share < 0 ? "−" : "+"}${Math.abs(100 * share).toFixed(1)}`;
}

/** @param {Float64Array} weights */
function writeWeights(weights) {
  const lines = FEATURES.map((name, at) => `  ${Number((weights[at] ?? 0).toFixed(3))}, // ${name}`);
  const file = fileURLToPath(new URL("../src/core/search/reranker-weights.ts", import.meta.url));
  writeFileSync(
    file,
    `/** Written by \`scripts/train-reranker.mjs\`; one weight for each of \`FEATURES\`. */\nexport const RERANKER_WEIGHTS: readonly number[] = [\n${lines.join("\n")}\n];\n`,
  );
}
