import { FEATURES } from "../../dist/core/search/features.js";
import { scoreQuery } from "../../dist/surfaces/eval/search-metrics.js";
import { createRandom } from "./random.mjs";

/**
 * One request with its candidates: a row of features for each, and which of them are gold.
 * @typedef {{ id: string, groups: string[][], names: string[], isGold: number[], share?: number }} Labels `share`: as how much of a request it counts
 * @typedef {{ labels: Labels, rows: Float64Array }} Sample
 */

export const WIDTH = FEATURES.length;
const EPOCHS = 120;
const STEP = 0.12;
/** Pulls every weight to its start, which is BM25F alone. */
const DECAY = 0.01;
const START = 3;
const ROUNDS = 2_000;

/** The ranking of the first stage. */
export const start = Float64Array.from(FEATURES, (name) => (name === "score" ? START : 0));

/**
 * Softmax over the candidates of each query against its gold tools, full batch, Adam. Sets come as lists: large ones
 * count more than small ones, but not in proportion. Only the first `used` features get a weight.
 * @param {Sample[][]} sets @param {number} used
 */
export function learn(sets, used = WIDTH) {
  const batch = sets.flatMap((samples) => {
    const usable = samples.filter(({ labels }) => labels.isGold.includes(1));
    return usable.map((sample) => ({ sample, weight: (sample.labels.share ?? 1) / Math.sqrt(usable.length) }));
  });
  const total = batch.reduce((sum, { weight }) => sum + weight, 0);
  const weights = start.slice();
  const momentum = new Float64Array(WIDTH);
  const variance = new Float64Array(WIDTH);
  for (let epoch = 1; epoch <= EPOCHS; epoch++) {
    const gradient = Float64Array.from(weights, (weight, at) => DECAY * (weight - (start[at] ?? 0)));
    for (const { sample, weight } of batch) addGradient(sample, weights, weight / total, gradient);
    const step = STEP * (1 - (0.9 * epoch) / EPOCHS);
    for (let at = 0; at < used; at++) {
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
function addGradient({ rows, labels: { isGold } }, weights, share, gradient) {
  const odds = toScores(rows, weights);
  const most = odds.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  let all = 0;
  for (let at = 0; at < odds.length; at++) {
    const value = Math.exp((odds[at] ?? 0) - most);
    odds[at] = value;
    all += value;
  }
  const gold = isGold.reduce((sum, value) => sum + value, 0);
  for (let at = 0; at < odds.length; at++) {
    const error = share * ((odds[at] ?? 0) / all - (isGold[at] ?? 0) / gold);
    for (let column = 0; column < WIDTH; column++)
      gradient[column] = (gradient[column] ?? 0) + error * (rows[at * WIDTH + column] ?? 0);
  }
}

/** @param {Float64Array} rows @param {Float64Array} weights */
function toScores(rows, weights) {
  const scores = new Float64Array(rows.length / WIDTH);
  for (let at = 0; at < scores.length; at++) {
    let sum = 0;
    for (let column = 0; column < WIDTH; column++) sum += (rows[at * WIDTH + column] ?? 0) * (weights[column] ?? 0);
    scores[at] = sum;
  }
  return scores;
}

/** nDCG@10 of one query, by the first `used` features. @param {Sample} sample @param {Float64Array} weights @param {number} used */
export function measure({ rows, labels: { names, groups } }, weights, used = WIDTH) {
  const ranked = [...toScores(rows, weights.slice(0, used))]
    .map((score, at) => ({ score, name: names[at] ?? "" }))
    .sort((a, b) => b.score - a.score)
    .slice(0, 10);
  return scoreQuery(
    ranked.map(({ name }) => name),
    groups,
  ).ndcg;
}

/**
 * The middle 95 % of the mean difference when the queries of each set are drawn again; sets count the same.
 * @param {(readonly [number[], number[]])[]} pairs before and after, for each set
 */
export function bootstrap(pairs) {
  const sets = pairs.map(([before, after]) => after.map((value, at) => value - (before[at] ?? 0)));
  const random = createRandom(1);
  const drawn = Array.from({ length: ROUNDS }, () =>
    mean(sets.map((own) => mean(own.map(() => own[Math.floor(random() * own.length)] ?? 0)))),
  ).sort((a, b) => a - b);
  return { low: drawn[Math.floor(ROUNDS * 0.025)] ?? 0, high: drawn[Math.floor(ROUNDS * 0.975)] ?? 0 };
}

/** @param {number[]} numbers */
export function mean(numbers) {
  return numbers.reduce((sum, value) => sum + value, 0) / Math.max(1, numbers.length);
}
