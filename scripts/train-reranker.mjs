// Learns the weights of the search reranker and measures them on sets they never saw.
//
//   npm run setup && node scripts/train-reranker.mjs --data DIR [--write]
//
// DIR holds one folder per set with catalog.jsonl and queries.jsonl, as "toolcrib eval search" reads them. Sets that
// share queries or tasks are one family: a set is scored by weights learned without any query of its family.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { computeFeatures, FEATURES } from "../dist/core/search/features.js";
import { MAX_CANDIDATES } from "../dist/core/search/rank-words.js";
import { readWords } from "../dist/core/search/read-words.js";
import { scoreWords } from "../dist/core/search/score-words.js";
import { SearchIndex } from "../dist/core/search/search-index.js";
import { scoreQuery } from "../dist/surfaces/eval/search-metrics.js";

/**
 * @typedef {{ id: string, query: string, gold: string[], goldGroups?: string[][] }} QueryLine
 * @typedef {{ id: string, groups: string[][], names: string[], rows: Float64Array, isGold: number[] }} Sample
 */

const WIDTH = FEATURES.length;
const EPOCHS = 120;
const STEP = 0.12;
/** Pulls every weight to its start, which is BM25F alone. */
const DECAY = 0.01;
const START = 3;
const ROUNDS = 2_000;

const { values } = parseArgs({ options: { data: { type: "string" }, write: { type: "boolean", default: false } } });
if (values.data === undefined) throw new Error("--data DIR is needed");
const sets = loadSets(values.data);
const start = Float64Array.from(FEATURES, (name) => (name === "score" ? START : 0));

console.log("| set | queries | first stage | reranked, never seen | difference (95 %) | reranked, as shipped |");
console.log("|---|---|---|---|---|---|");
const shipped = learn([...sets].flatMap(([, samples]) => toBatch(samples)));
const means = [0, 0, 0];
for (const [name, samples] of sets) {
  const unseen = learn([...sets].flatMap(([, others]) => toBatch(others.filter((other) => !isKin(other, samples)))));
  const before = samples.map((sample) => measure(sample, start));
  const after = samples.map((sample) => measure(sample, unseen));
  const { low, high } = bootstrap(before, after);
  const row = [mean(before), mean(after), mean(samples.map((sample) => measure(sample, shipped)))];
  row.forEach((value, at) => {
    means[at] = (means[at] ?? 0) + value / sets.size;
  });
  const [first, second, third] = row.map((value) => (100 * value).toFixed(1));
  console.log(
    `| ${name} | ${samples.length} | ${first} | ${second} | ${signed(mean(after) - mean(before))} (${signed(low)} to ${signed(high)}) | ${third} |`,
  );
}
const [first, second, third] = means.map((value) => (100 * value).toFixed(1));
console.log(`| mean | | ${first} | ${second} | ${signed((means[1] ?? 0) - (means[0] ?? 0))} | ${third} |`);
if (values.write) writeWeights(shipped);

/** @param {string} folder @returns {Map<string, Sample[]>} */
function loadSets(folder) {
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, "queries.jsonl")));
  return new Map(names.sort().map((name) => [name, loadSet(join(folder, name))]));
}

/** @param {string} folder @returns {Sample[]} */
function loadSet(folder) {
  const index = new SearchIndex();
  for (const line of readLines(join(folder, "catalog.jsonl"))) index.add(line.name, line);
  const allowed = new Uint8Array(index.slots.length).fill(1);
  return readLines(join(folder, "queries.jsonl")).map((/** @type {QueryLine} */ { id, query, gold, goldGroups }) => {
    const words = readWords(index, query);
    const candidates = scoreWords(index, words.terms, allowed, MAX_CANDIDATES);
    const names = candidates.map(({ slot }) => index.slots[slot]?.name ?? "");
    const wanted = new Set(gold);
    return {
      id,
      groups: goldGroups ?? gold.map((name) => [name]),
      names,
      rows: computeFeatures(index, words, candidates),
      isGold: names.map((name) => (wanted.has(name) ? 1 : 0)),
    };
  });
}

/** @param {string} file */
function readLines(file) {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** The same query may stand in several sets, and two sets of one source ask about the same tasks. @param {string} id */
function familyOf(id) {
  if (id.startsWith("live")) return "live";
  if (id.startsWith("metatool")) return "metatool";
  return /^G\d/.test(id) ? "toolbench" : "seal-tools";
}

/**
 * A mixed set is held out query by query, a set of one family with its whole family.
 * @param {Sample} other @param {Sample[]} samples
 */
function isKin(other, samples) {
  const families = new Set(samples.map(({ id }) => familyOf(id)));
  return families.size === 1 ? families.has(familyOf(other.id)) : samples.some(({ id }) => id === other.id);
}

/** Large sets count more than small ones, but not in proportion. @param {Sample[]} samples */
function toBatch(samples) {
  const usable = samples.filter(({ isGold }) => isGold.includes(1));
  return usable.map((sample) => ({ sample, weight: 1 / Math.sqrt(usable.length) }));
}

/**
 * Softmax over the candidates of each query against its gold tools, full batch, Adam.
 * @param {{ sample: Sample, weight: number }[]} batch
 */
function learn(batch) {
  const total = batch.reduce((sum, { weight }) => sum + weight, 0);
  const weights = start.slice();
  const momentum = new Float64Array(WIDTH);
  const variance = new Float64Array(WIDTH);
  for (let epoch = 1; epoch <= EPOCHS; epoch++) {
    const gradient = Float64Array.from(weights, (weight, at) => DECAY * (weight - (start[at] ?? 0)));
    for (const { sample, weight } of batch) addGradient(sample, weights, weight / total, gradient);
    const step = STEP * (1 - (0.9 * epoch) / EPOCHS);
    for (let at = 0; at < WIDTH; at++) {
      const slope = gradient[at] ?? 0;
      momentum[at] = 0.9 * (momentum[at] ?? 0) + 0.1 * slope;
      variance[at] = 0.99 * (variance[at] ?? 0) + 0.01 * slope * slope;
      const direction = (momentum[at] ?? 0) / (1 - 0.9 ** epoch);
      const size = Math.sqrt((variance[at] ?? 0) / (1 - 0.99 ** epoch)) + 1e-8;
      weights[at] = (weights[at] ?? 0) - (step * direction) / size;
    }
  }
  return weights;
}

/** @param {Sample} sample @param {Float64Array} weights @param {number} share @param {Float64Array} gradient */
function addGradient({ rows, isGold }, weights, share, gradient) {
  const scores = toScores(rows, weights);
  const most = Math.max(...scores);
  const odds = scores.map((score) => Math.exp(score - most));
  const all = odds.reduce((sum, value) => sum + value, 0);
  const gold = isGold.reduce((sum, value) => sum + value, 0);
  odds.forEach((value, at) => {
    const error = share * (value / all - (isGold[at] ?? 0) / gold);
    for (let column = 0; column < WIDTH; column++)
      gradient[column] = (gradient[column] ?? 0) + error * (rows[at * WIDTH + column] ?? 0);
  });
}

/** @param {Float64Array} rows @param {Float64Array} weights */
function toScores(rows, weights) {
  return Array.from({ length: rows.length / WIDTH }, (_, at) => {
    let sum = 0;
    for (let column = 0; column < WIDTH; column++) sum += (rows[at * WIDTH + column] ?? 0) * (weights[column] ?? 0);
    return sum;
  });
}

/** nDCG@10 of one query. @param {Sample} sample @param {Float64Array} weights */
function measure({ rows, names, groups }, weights) {
  const ranked = toScores(rows, weights)
    .map((score, at) => ({ score, name: names[at] ?? "" }))
    .sort((a, b) => b.score - a.score)
    .slice(0, 10);
  return scoreQuery(
    ranked.map(({ name }) => name),
    groups,
  ).ndcg;
}

/** The middle 95 % of the mean difference when the queries are drawn anew. @param {number[]} before @param {number[]} after */
function bootstrap(before, after) {
  const differences = after.map((value, at) => value - (before[at] ?? 0));
  let seed = 1;
  const drawn = Array.from({ length: ROUNDS }, () => {
    let sum = 0;
    for (let at = 0; at < differences.length; at++) {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      sum += differences[Math.floor((seed / 2 ** 32) * differences.length)] ?? 0;
    }
    return sum / differences.length;
  }).sort((a, b) => a - b);
  return { low: drawn[Math.floor(ROUNDS * 0.025)] ?? 0, high: drawn[Math.floor(ROUNDS * 0.975)] ?? 0 };
}

/** @param {number[]} numbers */
function mean(numbers) {
  return numbers.reduce((sum, value) => sum + value, 0) / Math.max(1, numbers.length);
}

/** @param {number} share */
function signed(share) {
  return `${share < 0 ? "−" : "+"}${Math.abs(100 * share).toFixed(1)}`;
}

/** @param {Float64Array} weights */
function writeWeights(weights) {
  const lines = FEATURES.map((name, at) => `  ${(weights[at] ?? 0).toFixed(3)}, // ${name}`);
  const file = fileURLToPath(new URL("../src/core/search/reranker-weights.ts", import.meta.url));
  writeFileSync(
    file,
    `/** Written by \`scripts/train-reranker.mjs\`; one weight for each of \`FEATURES\`. */\nexport const RERANKER_WEIGHTS: readonly number[] = [\n${lines.join("\n")}\n];\n`,
  );
}
