import { CLASSES, toClassIndex } from "./evidence.ts";
import type { Weights } from "./sentence-tables.ts";
import { SENTENCE_WEIGHTS } from "./sentence-weights.ts";
import { CLASS } from "./word-classes.ts";

export const PLACES: ReadonlyMap<string, number> = new Map(
  Object.entries(CLASS).map(([name, bit]) => [name, toClassIndex(bit)] as const),
);
export const classes: Float64Array = toRow(SENTENCE_WEIGHTS.classes);
export const parameterClasses: Float64Array = toRow(SENTENCE_WEIGHTS.parameterClasses);
export const opens: Float64Array = toRow(SENTENCE_WEIGHTS.opens);
/** Row by row: for a class, those that follow soon after. */
export const near: Float64Array = toMatrix(SENTENCE_WEIGHTS.near);
export const atHome: Float64Array = toRow(SENTENCE_WEIGHTS.atHome);
export const abroad: Float64Array = toRow(SENTENCE_WEIGHTS.abroad);
export const bids: Float64Array = toRow(SENTENCE_WEIGHTS.bids);

/** The least that must speak for an attack, wherever it appears. */
export const NEEDED: number = -SENTENCE_WEIGHTS.bias - Math.max(...Object.values(SENTENCE_WEIGHTS.standings));

/** The weights of a single word. */
interface StemWeights {
  /** Identifies it in a pair. */
  readonly number: number;
  word: number;
  parameter: number;
  bid: number;
}

interface WordWeights {
  readonly stems: ReadonlyMap<string, StemWeights>;
  /** The weight of two adjacent words, by both their numbers in one. */
  readonly pairs: ReadonlyMap<number, number>;
}

/** Built when the first sentence is weighed: most commands read no definition. */
let wordWeights: WordWeights | null = null;

export function loadWordWeights(): WordWeights {
  wordWeights ??= toWordWeights();
  return wordWeights;
}

const MOST_STEMS = 1 << 14;

/** The key of a pair of words, from both numbers. */
export function toPair(first: number, next: number): number {
  return first * MOST_STEMS + next;
}

function toWordWeights(): WordWeights {
  const stems = new Map<string, StemWeights>();
  const pairs = new Map<number, number>();
  const of = (stem: string): StemWeights => {
    let known = stems.get(stem);
    if (known === undefined) {
      known = { number: stems.size + 1, word: 0, parameter: 0, bid: 0 };
      stems.set(stem, known);
    }
    return known;
  };
  eachWeight(SENTENCE_WEIGHTS.pairs, (both, weight) => {
    const blank = both.indexOf(" ");
    pairs.set(toPair(of(both.slice(0, blank)).number, of(both.slice(blank + 1)).number), weight);
  });
  eachWeight(SENTENCE_WEIGHTS.words, (stem, weight) => {
    of(stem).word = weight;
  });
  eachWeight(SENTENCE_WEIGHTS.parameterWords, (stem, weight) => {
    of(stem).parameter = weight;
  });
  eachWeight(SENTENCE_WEIGHTS.bidWords, (stem, weight) => {
    of(stem).bid = weight;
  });
  return { stems, pairs };
}

export function eachWeight(rows: Weights, set: (text: string, weight: number) => void): void {
  for (const row of rows) {
    const end = row.indexOf(" ");
    const weight = Number(row.slice(0, end));
    for (const text of row.slice(end + 1).split("|")) set(text, weight);
  }
}

function toRow(rows: Weights): Float64Array {
  const row = new Float64Array(CLASSES);
  eachWeight(rows, (name, weight) => {
    row[PLACES.get(name) ?? 0] = weight;
  });
  return row;
}

/** `past>rule`: the first, and soon after it the second. */
function toMatrix(rows: Weights): Float64Array {
  const matrix = new Float64Array(CLASSES * CLASSES);
  eachWeight(rows, (both, weight) => {
    const [first = "", next = ""] = both.split(">");
    matrix[(PLACES.get(first) ?? 0) * CLASSES + (PLACES.get(next) ?? 0)] = weight;
  });
  return matrix;
}
