import { wordPositions } from "./positions.ts";
import { COUNT_BITS, FIELD_COUNT, MAX_COUNT } from "./postings.ts";
import type { WordQuery } from "./read-words.ts";
import { byName, idfOf, idfsOf, type Scored } from "./score-words.ts";
import type { Indexed, SearchIndex } from "./search-index.ts";
import { shippedVectors, type WordVectors } from "./word-vectors.ts";

/** Semantic similarity of each candidate: 0 for the typical one, towards 1 for the nearest; less for short queries. */
export interface Nearness {
  /** The best clause of a long request, or all of a short one, against all words of the tool. */
  readonly clause: Float64Array;
  /** Word by word against all words of the tool. */
  readonly words: Float64Array;
}

/** The weight of a word in a tool's direction, by field; repetitions add less and less, up to twice the weight. */
const FIELD_SHARES: readonly number[] = [2, 1, 1, 0.5, 0.25, 1];
/** The same by field and number of occurrences. */
const SHARES = Float64Array.from({ length: FIELD_COUNT << COUNT_BITS }, (_, at) => {
  const count = at & MAX_COUNT;
  return ((FIELD_SHARES[at >>> COUNT_BITS] ?? 0) * 2 * count) / (count + 1);
});
/** A word in hardly any tool counts no more than one in a few. */
const MAX_IDF = 7;
/** If all candidates are about equally near, small differences mean nothing. */
const LEAST_SPREAD = 0.2;
/** A few words have little meaning beyond themselves, and every candidate has some of them: this many count half. */
const DOUBT = 4;
/** Whole numbers have the same sum in any order. */
const STEPS = 2 ** 20;

export function compareMeaning<K>(
  index: SearchIndex<K>,
  query: WordQuery,
  candidates: readonly Scored[],
  vectors: WordVectors,
): Nearness {
  const clause = new Float64Array(candidates.length);
  const words = new Float64Array(candidates.length);
  const asked = toAsked(index, query, vectors);
  const readDirection = directionsOf(index, vectors);
  const direction = new Float64Array(vectors.width);
  const nears = new Float64Array(asked.wishCount + asked.weights.length);
  for (let at = 0; at < candidates.length; at++) {
    const slot = candidates[at]?.slot ?? 0;
    const tool = index.slots[slot];
    if (tool === undefined) continue;
    readDirection(tool, slot, direction);
    compareRows(direction, asked.rows, nears);
    for (let wish = 0; wish < asked.wishCount; wish++) clause[at] = Math.max(clause[at] ?? 0, nears[wish] ?? 0);
    words[at] = asked.total === 0 ? 0 : (sumNear(asked, nears) + sumOthers(asked, tool)) / asked.total;
  }
  const trust = asked.weights.length / (asked.weights.length + DOUBT);
  spread(clause, trust);
  spread(words, trust);
  return { clause, words };
}

/** How near a tool must be to match a request that shares no word with it. */
const NEAR = 0.55;
/** A single word is near to many things. */
const MIN_WORDS = 2;

/** The tools nearest in meaning to the whole request, even with few of its words; none that are not near. */
export function nearestTools<K>(
  index: SearchIndex<K>,
  query: WordQuery,
  allowed: Uint8Array,
  count: number,
  vectors: WordVectors = shippedVectors(),
): readonly Scored[] {
  const { rows, weights } = toAsked(index, { ...query, clauseCount: 0 }, vectors);
  if (weights.length < MIN_WORDS) return [];
  const readDirection = directionsOf(index, vectors);
  const direction = new Float64Array(vectors.width);
  const nears = new Float64Array(1);
  return index.slots
    .flatMap((tool, slot) => {
      if (tool === undefined || allowed[slot] !== 1) return [];
      readDirection(tool, slot, direction);
      compareRows(direction, rows, nears);
      const near = nears[0] ?? 0;
      return near < NEAR ? [] : [{ slot, near }];
    })
    .sort((a, b) => b.near - a.near || byName(index, a.slot, b.slot))
    .slice(0, count)
    .map(({ slot }) => ({ slot, score: 0 }));
}

interface Asked {
  /** The direction of each clause, or of the whole, followed by that of each word that has one. */
  readonly rows: Float64Array;
  readonly wishCount: number;
  /** The weight of each word that has a direction. */
  readonly weights: Float64Array;
  /** The index of each other word in `otherWeights`, see `wordPositions`; null if there is none. */
  readonly others: Uint16Array | null;
  readonly otherWeights: Float64Array;
  readonly total: number;
}

function toAsked<K>(index: SearchIndex<K>, { words, clauseCount }: WordQuery, vectors: WordVectors): Asked {
  const { numbers, width } = vectors;
  const asked = words.map(({ term, clauses }) => {
    const postings = index.find(term);
    const weight = Math.min(MAX_IDF, idfOf(postings?.size ?? 0, index.size));
    return { clauses, id: postings?.id ?? -1, row: vectors.rowOf(term), weight };
  });
  const directed = asked.filter(({ row }) => row >= 0);
  const others = asked.filter(({ row, id }) => row < 0 && id >= 0);
  const wishCount = Math.max(1, clauseCount);
  const rows = new Float64Array((wishCount + directed.length) * width);
  directed.forEach(({ row }, at) => {
    rows.set(numbers.subarray(row * width, (row + 1) * width), (wishCount + at) * width);
  });
  for (let wish = 0; wish < wishCount; wish++) {
    const sum = rows.subarray(wish * width, (wish + 1) * width);
    for (const { row, weight, clauses } of directed)
      if (clauseCount === 0 || (clauses >>> wish) & 1) addRow(sum, vectors, row, weight);
    toUnit(sum);
  }
  return {
    rows,
    wishCount,
    weights: new Float64Array(directed.map(({ weight }) => weight)),
    others:
      others.length === 0
        ? null
        : wordPositions(
            index,
            others.map(({ id }) => id),
          ),
    otherWeights: new Float64Array(others.map(({ weight }) => weight)),
    total: asked.reduce((sum, { weight }) => sum + weight, 0),
  };
}

function addWords<K>(
  sum: Float64Array,
  { terms, counts }: Indexed<K>,
  rowOf: (id: number) => number,
  idfOfTerm: (id: number) => number,
  vectors: WordVectors,
): void {
  for (let at = 0; at < terms.length; at++) {
    const id = terms[at] ?? 0;
    const row = rowOf(id);
    if (row < 0) continue;
    let share = 0;
    for (let rest = counts[at] ?? 0, column = 0; rest !== 0; rest >>>= COUNT_BITS, column += MAX_COUNT + 1)
      share += SHARES[column + (rest & MAX_COUNT)] ?? 0;
    addRow(sum, vectors, row, share * Math.min(MAX_IDF, idfOfTerm(id)));
  }
}

function sumNear({ wishCount, weights }: Asked, nears: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < weights.length; at++) {
    const near = nears[wishCount + at] ?? 0;
    if (near > 0) sum += ((weights[at] ?? 0) * near) / ROW_LENGTH;
  }
  return sum;
}

/** A word without a direction counts if the tool contains it. */
function sumOthers<K>({ others, otherWeights }: Asked, { terms }: Indexed<K>): number {
  let sum = 0;
  if (others === null) return sum;
  for (let at = 0; at < terms.length; at++) {
    const place = others[terms[at] ?? 0] ?? 0;
    if (place > 0) sum += otherWeights[place - 1] ?? 0;
  }
  return sum;
}

/** The length of a row of whole numbers. */
const ROW_LENGTH = 127;

function spread(values: Float64Array, trust: number): void {
  let sum = 0;
  let most = 0;
  for (let at = 0; at < values.length; at++) {
    const steps = Math.round((values[at] ?? 0) * STEPS);
    values[at] = steps;
    sum += steps;
    most = Math.max(most, steps);
  }
  const middle = sum / Math.max(1, values.length);
  const width = Math.max(most - middle, LEAST_SPREAD * STEPS);
  for (let at = 0; at < values.length; at++) values[at] = (trust * ((values[at] ?? 0) - middle)) / width;
}

function addRow(sum: Float64Array, { numbers, width }: WordVectors, row: number, weight: number): void {
  for (let at = 0, from = row * width; at < width; at++, from++)
    sum[at] = (sum[at] ?? 0) + weight * (numbers[from] ?? 0);
}

function toUnit(vector: Float64Array): Float64Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  if (length > 0) for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] ?? 0) / length;
  return vector;
}

/** The similarity of a direction to each row: in four sums, which the processor adds in parallel. */
function compareRows(direction: Float64Array, rows: Float64Array, nears: Float64Array): void {
  const width = direction.length;
  const whole = width - (width % 4);
  for (let row = 0, from = 0; row < nears.length; row++, from += width) {
    let first = 0;
    let second = 0;
    let third = 0;
    let fourth = 0;
    for (let at = 0; at < whole; at += 4) {
      first += (direction[at] ?? 0) * (rows[from + at] ?? 0);
      second += (direction[at + 1] ?? 0) * (rows[from + at + 1] ?? 0);
      third += (direction[at + 2] ?? 0) * (rows[from + at + 2] ?? 0);
      fourth += (direction[at + 3] ?? 0) * (rows[from + at + 3] ?? 0);
    }
    for (let at = whole; at < width; at++) first += (direction[at] ?? 0) * (rows[from + at] ?? 0);
    nears[row] = first + second + (third + fourth);
  }
}

type ReadDirection = (tool: Indexed<unknown>, slot: number, to: Float64Array) => void;

interface Directions {
  readonly version: number;
  readonly vectors: WordVectors;
  readonly readDirection: ReadDirection;
}

/** The direction of each tool, computed when it first becomes a candidate, and again after a change. */
function directionsOf<K>(index: SearchIndex<K>, vectors: WordVectors): ReadDirection {
  const cached = cachedDirections.get(index);
  if (cached?.version === index.version && cached.vectors === vectors) return cached.readDirection;
  const { width } = vectors;
  const directions = new Float32Array(index.slots.length * width);
  const isKnown = new Uint8Array(index.slots.length);
  const rowOf = rowsOf(index, vectors);
  const idfOfTerm = idfsOf(index);
  const readDirection: ReadDirection = (tool, slot, to) => {
    if (isKnown[slot] !== 1) {
      const sum = new Float64Array(width);
      addWords(sum, tool, rowOf, idfOfTerm, vectors);
      directions.set(toUnit(sum), slot * width);
      isKnown[slot] = 1;
    }
    for (let at = 0; at < width; at++) to[at] = directions[slot * width + at] ?? 0;
  };
  cachedDirections.set(index, { version: index.version, vectors, readDirection });
  return readDirection;
}

const cachedDirections = new WeakMap<object, Directions>();

/** The row of each word of the index by its number, looked up on demand. */
function rowsOf<K>(index: SearchIndex<K>, vectors: WordVectors): (id: number) => number {
  const rows = new Int32Array(index.termBound).fill(UNASKED);
  return (id) => {
    const known = rows[id] ?? -1;
    if (known !== UNASKED) return known;
    const row = vectors.rowOf(index.termAt(id)?.term ?? "");
    rows[id] = row;
    return row;
  };
}

const UNASKED = -2;
