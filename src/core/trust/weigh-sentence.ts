import type { TextPiece } from "./definition-texts.ts";
import { isWeighed, toEvidence, toPlace, toStanding } from "./evidence.ts";
import { type Reading, readParts } from "./read-sentence.ts";
import { SENTENCE_WEIGHTS, type Weights } from "./sentence-weights.ts";
import { CLASS } from "./word-classes.ts";

/** How much a sentence is like those of attacks: above nothing rather one of them, below rather not. */
interface Verdict {
  readonly sum: number;
  /** What speaks for it alone, so that no amount of harmless words outweighs it. */
  readonly gain: number;
  readonly loss: number;
}

const PLACES: ReadonlyMap<string, number> = new Map(
  Object.entries(CLASS).map(([name, bit]) => [name, toPlace(bit)] as const),
);
const CLASSES = 31;
/** Longer than any sentence that a rule should be wrong about. */
const MAX_CHARACTERS = 400;

const words = toTable(SENTENCE_WEIGHTS.words);
const parameterWords = toTable(SENTENCE_WEIGHTS.parameterWords);
const pairs = toTable(SENTENCE_WEIGHTS.pairs);
const classes = toRow(SENTENCE_WEIGHTS.classes);
const opens = toRow(SENTENCE_WEIGHTS.opens);
const parameterClasses = toRow(SENTENCE_WEIGHTS.parameterClasses);
const near = toMatrix(SENTENCE_WEIGHTS.near);

const ATTACK = 1;
/** What a tool is about it has to speak of. */
const ATTACK_AT_HOME = 3;
const HARMLESS = -2;
/** Something has to speak against it; a word or two that nobody knows say nothing. */
const AGAINST = -1;
/** As much as speaks for an attack in a sentence of attacks, whatever stands around it. */
const TELLING = 8;
/** A clause on its own has less that speaks against it. */
const HARMLESS_CLAUSE = -1.5;

/** Worded like the sentences of attacks, whether or not a rule knows the wording. */
export function isLikeAttacks(
  reading: Reading,
  { kind, opening, atHome }: { readonly kind: TextPiece["kind"]; readonly opening: boolean; readonly atHome: boolean },
): boolean {
  return isWeighed(reading, kind) && weighSentence(reading, kind, opening).sum > (atHome ? ATTACK_AT_HOME : ATTACK);
}

/**
 * Worded so little like the sentences of attacks that a rule which takes it for one is wrong. Every clause has to be,
 * so that nobody can bury one under harmless words.
 */
export function isHarmless(sentence: string, kind: TextPiece["kind"], slots: ReadonlySet<string>): boolean {
  const isBelow = (text: string, limit: number): boolean =>
    readParts(text, slots).every((reading) => {
      if (!isWeighed(reading, kind)) return false;
      const { sum, gain, loss } = weighSentence(reading, kind, false);
      return sum < limit && gain < TELLING && loss < AGAINST;
    });
  if (sentence.length > MAX_CHARACTERS || !isBelow(sentence, HARMLESS)) return false;
  const clauses = sentence.split(/(?<=[,:)\]])\s+|\s+-+\s+/u).filter((clause) => clause.includes(" "));
  return clauses.length < 2 || clauses.every((clause) => isBelow(clause, HARMLESS_CLAUSE));
}

/** Weighs a sentence by what it is made of. The weights come from `scripts/train-scanner.mjs`. */
function weighSentence(reading: Reading, kind: TextPiece["kind"], opening: boolean): Verdict {
  let gain = 0;
  let loss = 0;
  const add = (weight: number | undefined): void => {
    if (weight === undefined) return;
    if (weight > 0) gain += weight;
    else loss += weight;
  };
  const evidence = toEvidence(reading);
  const isParameter = kind === "parameter";
  for (const word of evidence.words) {
    add(words.get(word));
    if (isParameter) add(parameterWords.get(word));
  }
  for (const pair of evidence.pairs) add(pairs.get(pair));
  for (let bits = evidence.has; bits !== 0; bits &= bits - 1) {
    const place = toPlace(bits);
    add(classes[place]);
    if (isParameter) add(parameterClasses[place]);
    for (let after = evidence.near[place] ?? 0; after !== 0; after &= after - 1)
      add(near[place * CLASSES + toPlace(after)]);
  }
  for (let bits = evidence.opens; bits !== 0; bits &= bits - 1) add(opens[toPlace(bits)]);
  add(SENTENCE_WEIGHTS.standings[toStanding(kind, opening)]);
  return { sum: (SENTENCE_WEIGHTS.bias + gain + loss) / 10, gain: gain / 10, loss: loss / 10 };
}

function toTable(rows: Weights): ReadonlyMap<string, number> {
  const table = new Map<string, number>();
  for (const row of rows) {
    const end = row.indexOf(" ");
    for (const text of row.slice(end + 1).split("|")) table.set(text, Number(row.slice(0, end)));
  }
  return table;
}

function toRow(rows: Weights): Float64Array {
  const row = new Float64Array(CLASSES);
  for (const [name, weight] of toTable(rows)) row[PLACES.get(name) ?? 0] = weight;
  return row;
}

/** `past>rule`: the first, and soon after it the second. */
function toMatrix(rows: Weights): Float64Array {
  const matrix = new Float64Array(CLASSES * CLASSES);
  for (const [both, weight] of toTable(rows)) {
    const [first = "", next = ""] = both.split(">");
    matrix[(PLACES.get(first) ?? 0) * CLASSES + (PLACES.get(next) ?? 0)] = weight;
  }
  return matrix;
}
