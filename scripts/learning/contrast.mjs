import { createRandom } from "./random.mjs";

/**
 * Two texts about the same thing, as rows of words; texts of one group are never compared with each other.
 * @typedef {{ left: number[], right: number[], group: string }} Pair
 * @typedef {import("./factorize.mjs").Vectors} Vectors
 * @typedef {import("./corpus.mjs").Corpus} Corpus
 */

const STEPS = 800;
const BATCH = 128;
const STEP = 0.01;
const TEMPERATURE = 0.15;
/** So much of the steps goes to operations, the rest to requests, of each kind as much as of the other. */
const OPERATION_SHARE = 0.5;
/** So many requests are paired with another request for the same tool, the others with the tool. */
const REQUEST_SHARE = 0.4;
const WORDS_OF_TEXT = 40;

/**
 * Moves the vectors so that the sum over one text of a pair points to its other text and away from those of the other
 * pairs of a batch: softmax both ways, Adam.
 * @param {Vectors} vectors @param {Corpus} corpus
 */
export function contrast(vectors, corpus) {
  const { numbers, width } = vectors;
  const random = createRandom(3);
  const operations = pairOperations(vectors, corpus);
  const requests = [corpus.metatool, corpus.shipped]
    .filter((asked) => asked.requests.length > 0)
    .map((asked) => pairRequests(vectors, asked));
  const momentum = new Float64Array(numbers.length);
  const variance = new Float64Array(numbers.length);
  for (let step = 1; step <= STEPS; step++) {
    const draw = requests.length === 0 || random() < OPERATION_SHARE ? operations : pick(requests, random);
    const slopes = toSlopes(collect(draw, random), vectors);
    const size = STEP * (1 - (0.9 * step) / STEPS);
    for (const [row, slope] of slopes)
      for (let column = 0; column < width; column++) {
        const at = row * width + column;
        const own = slope[column] ?? 0;
        const moved = 0.9 * (momentum[at] ?? 0) + 0.1 * own;
        const spread = 0.99 * (variance[at] ?? 0) + 0.01 * own * own;
        momentum[at] = moved;
        variance[at] = spread;
        numbers[at] = (numbers[at] ?? 0) - (size * moved) / (Math.sqrt(spread) + 1e-6);
      }
  }
}

/** A batch with one pair a group. @param {(random: () => number) => Pair} draw @param {() => number} random */
function collect(draw, random) {
  /** @type {Map<string, Pair>} */
  const batch = new Map();
  for (let tries = 0; tries < 20 * BATCH && batch.size < BATCH; tries++) {
    const pair = draw(random);
    if (pair.left.length > 1 && pair.right.length > 1 && !batch.has(pair.group)) batch.set(pair.group, pair);
  }
  return [...batch.values()];
}

/** Name and description, first sentence and the rest, or two halves of one description. @param {Vectors} vectors @param {Corpus} corpus */
function pairOperations({ rows }, { operations }) {
  const known = (/** @type {string[]} */ words, limit = WORDS_OF_TEXT) => toRows(words, rows, limit);
  const texts = operations.map((operation) => ({
    server: operation.server,
    name: known(operation.name),
    place: known(operation.place),
    description: known(operation.description),
    first: known(operation.first),
    rest: known(operation.rest),
    parameters: known(operation.parameters, 15),
    details: known(operation.details, 30),
  }));
  return (/** @type {() => number} */ random) => {
    const text = pick(texts, random);
    const { name, place, description, first, rest, parameters, details, server } = text;
    const kind = random();
    if (kind < 0.4) return toPair(random() < 0.5 ? [...name, ...place] : name, description, server);
    if (kind < 0.7)
      return toPair(first, [...rest, ...parameters, ...details, ...(rest.length > 0 ? [] : name)], server);
    const half = new Set(description.filter(() => random() < 0.5));
    return toPair([...half], [...description.filter((row) => !half.has(row)), ...name, ...place], server);
  };
}

/** A request and its tool, or two requests for one tool. @param {Vectors} vectors @param {import("./corpus.mjs").Asked} asked */
function pairRequests({ rows }, { requests, tools }) {
  /** @type {Map<string, number[][]>} */
  const byTool = new Map();
  for (const { words, tool } of requests) {
    const known = toRows(words, rows, WORDS_OF_TEXT);
    if (known.length > 1) byTool.set(tool, [...(byTool.get(tool) ?? []), known]);
  }
  const asked = [...byTool].map(([tool, texts]) => ({
    tool,
    texts,
    description: toRows(tools.get(tool) ?? [], rows, WORDS_OF_TEXT),
  }));
  return (/** @type {() => number} */ random) => {
    const { tool, texts, description } = pick(asked, random);
    const left = pick(texts, random);
    const right = random() < REQUEST_SHARE ? pick(texts, random) : description;
    return toPair(left, left === right ? [] : right, tool);
  };
}

/** @template T @param {T[]} list @param {() => number} random @returns {T} */
function pick(list, random) {
  const one = list[Math.floor(random() * list.length)];
  if (one === undefined) throw new Error("there is nothing to learn from");
  return one;
}

/** @param {string[]} words @param {Map<string, number>} rows @param {number} limit */
function toRows(words, rows, limit) {
  return [...new Set(words.flatMap((word) => rows.get(word) ?? []))].slice(0, limit);
}

/** @param {number[]} left @param {number[]} right @param {string} group @returns {Pair} */
function toPair(left, right, group) {
  return { left: [...new Set(left)], right: [...new Set(right)], group };
}

/** @param {Pair[]} batch @param {Vectors} vectors @returns {Map<number, Float64Array>} */
function toSlopes(batch, vectors) {
  const { width } = vectors;
  const count = batch.length;
  const left = toDirections(
    batch.map((pair) => pair.left),
    vectors,
  );
  const right = toDirections(
    batch.map((pair) => pair.right),
    vectors,
  );
  const errors = toErrors(left.units, right.units, count, width);
  const slopes = new Map();
  const [toLeft, toRight] = [new Float64Array(count * width), new Float64Array(count * width)];
  for (let a = 0; a < count; a++)
    for (let b = 0; b < count; b++) {
      const error = (errors[a * count + b] ?? 0) / (2 * count * TEMPERATURE);
      for (let column = 0; column < width; column++) {
        const [at, to] = [a * width + column, b * width + column];
        toLeft[at] = (toLeft[at] ?? 0) + error * (right.units[to] ?? 0);
        toRight[to] = (toRight[to] ?? 0) + error * (left.units[at] ?? 0);
      }
    }
  batch.forEach((pair, at) => {
    addSlopes(slopes, pair.left, at, left, toLeft, width);
    addSlopes(slopes, pair.right, at, right, toRight, width);
  });
  return slopes;
}

/** @typedef {{ units: Float64Array, lengths: Float64Array }} Directions */

/** @param {number[][]} texts @param {Vectors} vectors @returns {Directions} */
function toDirections(texts, { numbers, width }) {
  const units = new Float64Array(texts.length * width);
  const lengths = Float64Array.from(texts, (rows, text) => {
    const sum = units.subarray(text * width, (text + 1) * width);
    for (const row of rows)
      for (let column = 0; column < width; column++)
        sum[column] = (sum[column] ?? 0) + (numbers[row * width + column] ?? 0);
    const length = Math.hypot(...sum) || 1;
    sum.forEach((value, column) => {
      sum[column] = value / length;
    });
    return length;
  });
  return { units, lengths };
}

/** What the softmax over each line and each column gives too much. @param {Float64Array} left @param {Float64Array} right @param {number} count @param {number} width */
function toErrors(left, right, count, width) {
  const odds = new Float64Array(count * count);
  const [lines, columns] = [new Float64Array(count), new Float64Array(count)];
  for (let a = 0; a < count; a++)
    for (let b = 0; b < count; b++) {
      let cosine = 0;
      for (let at = 0; at < width; at++) cosine += (left[a * width + at] ?? 0) * (right[b * width + at] ?? 0);
      const value = Math.exp((cosine - 1) / TEMPERATURE);
      odds[a * count + b] = value;
      lines[a] = (lines[a] ?? 0) + value;
      columns[b] = (columns[b] ?? 0) + value;
    }
  return odds.map((value, at) => {
    const [a, b] = [Math.floor(at / count), at % count];
    return value / (lines[a] ?? 1) + value / (columns[b] ?? 1) - (a === b ? 2 : 0);
  });
}

/**
 * @param {Map<number, Float64Array>} slopes @param {number[]} rows @param {number} text @param {Directions} directions
 * @param {Float64Array} pulls @param {number} width
 */
function addSlopes(slopes, rows, text, { units, lengths }, pulls, width) {
  const start = text * width;
  let along = 0;
  for (let at = start; at < start + width; at++) along += (pulls[at] ?? 0) * (units[at] ?? 0);
  for (const row of rows) {
    const slope = slopes.get(row) ?? new Float64Array(width);
    slopes.set(row, slope);
    for (let column = 0; column < width; column++) {
      const at = start + column;
      slope[column] = (slope[column] ?? 0) + ((pulls[at] ?? 0) - along * (units[at] ?? 0)) / (lengths[text] ?? 1);
    }
  }
}
