import { createRandom } from "./random.mjs";

/** @typedef {import("./sentences.mjs").Definition} Definition */
/** @typedef {{ bias: number, weights: Float64Array }} Learned by number of feature */

const ROUNDS = 20;
/** Orders of the cases that are tried; the mean of all depends less on any of them. */
const SEEDS = 4;
/** Rounds in which an attack is taken to stand where no honest definition says the same. */
const GUESSED = 2;
/** Rounds before the weights count towards the mean of all. */
const FIRST = 4;
const STEP = 0.3;
const DECAY = 0.0005;
/** No word speaks more than this against an attack, so that harmless words cannot outweigh an order. */
const FLOOR = -0.3;
/** Of other languages only kinds of words are known: what of them is harmless has to count for more. */
export const FOREIGN_FLOOR = -1;
/** What fewer attacks and hard cases than this have is chance. */
const MIN_CASES = 2;
/** Weights below are left out, and the rest are rounded to tenths. */
const LEAST = 0.05;

/**
 * Logistic regression on definitions of which only the most suspicious sentence counts: an attack needs one, and an
 * honest definition must not have any.
 * @param {readonly Definition[]} definitions
 * @param {number} features
 * @param {number} [floor]
 * @returns {Learned}
 */
export function learn(definitions, features, floor = FLOOR) {
  const known = {
    definitions,
    isKept: findTelling(definitions, features),
    guesses: guessAttacks(definitions),
    own: findOwn(definitions),
    floor,
  };
  const sums = new Float64Array(features);
  let biases = 0;
  for (let seed = 1; seed <= SEEDS; seed++) biases += learnOnce(known, seed, sums);
  const toMean = (/** @type {number} */ sum) => sum / (SEEDS * (ROUNDS - FIRST));
  return {
    bias: Math.round(toMean(biases) * 10) / 10,
    weights: sums.map((sum) => (Math.abs(toMean(sum)) < LEAST ? 0 : Math.round(toMean(sum) * 10) / 10)),
  };
}

/**
 * Adds the weights of each round to the sums, and returns the sum of the biases.
 * @param {{ definitions: readonly Definition[], isKept: Uint16Array, guesses: Map<Definition, Int32Array>, own: Map<Definition, Int32Array[]>, floor: number }} known
 * @param {number} seed
 * @param {Float64Array} sums
 */
function learnOnce({ definitions, isKept, guesses, own, floor }, seed, sums) {
  const weights = new Float64Array(sums.length);
  const squares = new Float64Array(sums.length);
  let bias = -3;
  let biases = 0;
  const random = createRandom(seed);
  const order = definitions.map((_definition, at) => at);
  for (let round = 0; round < ROUNDS; round++) {
    shuffle(order, random);
    for (const at of order) {
      const definition = definitions[at];
      if (definition === undefined) continue;
      const { label, share } = definition;
      const guess = round < GUESSED ? guesses.get(definition) : undefined;
      const sentences = guess === undefined ? (own.get(definition) ?? definition.sentences) : [guess];
      const { score, sentence } = findWorst(sentences, weights, bias);
      const miss = (label - 1 / (1 + Math.exp(-score))) * share;
      if (Math.abs(miss) < 1e-4) continue;
      for (const feature of sentence) {
        if (isKept[feature] === 0) continue;
        const slope = miss - DECAY * (weights[feature] ?? 0);
        const square = (squares[feature] ?? 0) + slope * slope;
        squares[feature] = square;
        weights[feature] = Math.max(floor, (weights[feature] ?? 0) + (STEP * slope) / Math.sqrt(square + 1));
      }
      bias += 0.01 * miss;
    }
    if (round < FIRST) continue;
    for (let feature = 0; feature < sums.length; feature++)
      sums[feature] = (sums[feature] ?? 0) + (weights[feature] ?? 0);
    biases += bias;
  }
  return biases;
}

const BID_ROUNDS = 60;

/**
 * What tells bids to be chosen from other attacks: logistic regression on few features of the sentence that gives an
 * attack away.
 * @param {readonly Definition[]} definitions
 * @param {Learned} learned
 * @param {(feature: number) => boolean} counts
 * @returns {Learned}
 */
export function learnBids(definitions, { bias, weights }, counts) {
  const attacks = definitions
    .filter(({ label }) => label === 1)
    .map(({ isBid, sentences }) => ({ isBid, features: findWorst(sentences, weights, bias).sentence.filter(counts) }));
  const learned = { bias: 0, weights: new Float64Array(weights.length) };
  for (let round = 0; round < BID_ROUNDS; round++)
    for (const { isBid, features } of attacks) {
      const score = features.reduce((sum, feature) => sum + (learned.weights[feature] ?? 0), learned.bias);
      const slope = ((isBid ? 1 : 0) - 1 / (1 + Math.exp(-score))) / (1 + round);
      learned.bias += 0.1 * slope;
      for (const feature of features) learned.weights[feature] = (learned.weights[feature] ?? 0) + 0.1 * slope;
    }
  return learned;
}

/** The most suspicious sentence. @param {readonly Int32Array[]} sentences @param {Float64Array} weights @param {number} bias */
export function findWorst(sentences, weights, bias) {
  let score = Number.NEGATIVE_INFINITY;
  /** @type {Int32Array} */
  let worst = new Int32Array(0);
  for (const sentence of sentences) {
    let sum = bias;
    for (const feature of sentence) sum += weights[feature] ?? 0;
    if (sum <= score) continue;
    score = sum;
    worst = sentence;
  }
  return { score, sentence: worst };
}

/** Of each attack, what no honest definition says as well: a shared opening gives nobody away. @param {readonly Definition[]} definitions */
function findOwn(definitions) {
  const honest = new Set(definitions.flatMap(({ label, sentences }) => (label === 0 ? sentences.map(toKey) : [])));
  /** @type {Map<Definition, Int32Array[]>} */
  const own = new Map();
  for (const definition of definitions) {
    if (definition.label === 0) continue;
    const some = definition.sentences.filter((sentence) => !honest.has(toKey(sentence)));
    if (some.length > 0) own.set(definition, some);
  }
  return own;
}

/** The longest sentence of each attack that no honest definition has. @param {readonly Definition[]} definitions */
function guessAttacks(definitions) {
  /** @type {Map<Definition, Int32Array>} */
  const guesses = new Map();
  for (const [definition, own] of findOwn(definitions)) {
    const longest = own.reduce((most, one) => (one.length > most.length ? one : most), new Int32Array(0));
    if (longest.length > 0) guesses.set(definition, longest);
  }
  return guesses;
}

/** @param {Int32Array} sentence */
function toKey(sentence) {
  return sentence.reduce((sum, feature) => Math.imul(sum ^ feature, 16_777_619), sentence.length);
}

/** Those that several cases have. @param {readonly Definition[]} definitions @param {number} features */
function findTelling(definitions, features) {
  const hard = new Uint16Array(features);
  const all = new Float64Array(features);
  for (const { label, isCase, sentences } of definitions)
    for (const feature of new Set(sentences.flatMap((sentence) => [...sentence]))) {
      all[feature] = (all[feature] ?? 0) + (label === 1 ? 3 : 1);
      if (isCase) hard[feature] = Math.min(60_000, (hard[feature] ?? 0) + 1);
    }
  return hard.map((cases, feature) => (cases >= MIN_CASES && (all[feature] ?? 0) >= 4 ? 1 : 0));
}

/** @param {number[]} order @param {() => number} random */
function shuffle(order, random) {
  for (let at = order.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    const one = order[at] ?? 0;
    order[at] = order[other] ?? 0;
    order[other] = one;
  }
}
