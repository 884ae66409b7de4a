import { CLASSES, type Evidence, type EvidenceStanding, toClauses, toEvidence, toPlace } from "./evidence.ts";
import { SENTENCE_WEIGHTS, type Weights } from "./sentence-weights.ts";
import { CLASS } from "./word-classes.ts";

/** Where a sentence stands, and the classes of what its tool is about: few sentences come so far that these matter. */
interface Place {
  readonly standing: EvidenceStanding;
  readonly home: () => number;
}

/** How much a sentence is like those of attacks: above nothing it rather is one. */
export interface SentenceVerdict {
  readonly score: number;
  /** The classes of its words, which tell what kind of attack it is like. */
  readonly has: number;
  /** Rather a bid to be chosen than another attack. */
  readonly isBid: boolean;
}

const PLACES: ReadonlyMap<string, number> = new Map(
  Object.entries(CLASS).map(([name, bit]) => [name, toPlace(bit)] as const),
);
const classes = toRow(SENTENCE_WEIGHTS.classes);
const parameterClasses = toRow(SENTENCE_WEIGHTS.parameterClasses);
const opens = toRow(SENTENCE_WEIGHTS.opens);
const near = toMatrix(SENTENCE_WEIGHTS.near);
const atHome = toRow(SENTENCE_WEIGHTS.atHome);
const abroad = toRow(SENTENCE_WEIGHTS.abroad);
const bids = toRow(SENTENCE_WEIGHTS.bids);
/** Made when a first sentence is weighed: most questions are about no definition that has to be read. */
let stemWeights: ReadonlyMap<string, StemWeights> | null = null;

/** Weighs a sentence by what it is made of; its heaviest part counts. The weights come from `scripts/train-scanner.mjs`. */
export function weighSentence(sentence: string, { standing, home }: Place): SentenceVerdict {
  let worst: SentenceVerdict = { score: Number.NEGATIVE_INFINITY, has: 0, isBid: false };
  for (const { sum, asParameter, asBid, most, has } of weighParts(sentence)) {
    let total = SENTENCE_WEIGHTS.bias + SENTENCE_WEIGHTS.standings[standing] + sum;
    if (standing === "parameter" || standing === "key") total += asParameter;
    if (standing !== "opening") total += total + most > 0 ? weighSubject(has, home()) : most;
    if (total > worst.score) worst = { score: total, has, isBid: asBid > 0 };
  }
  return worst;
}

function weighSubject(has: number, home: number): number {
  let sum = 0;
  for (let bits = has; bits !== 0; bits &= bits - 1) {
    const at = toPlace(bits);
    sum += ((home & (1 << at)) !== 0 ? atHome[at] : abroad[at]) ?? 0;
  }
  return sum;
}

/** What has to speak for an attack at least, wherever it stands. */
const NEEDED = -SENTENCE_WEIGHTS.bias - Math.max(...Object.values(SENTENCE_WEIGHTS.standings));

/** What a part weighs wherever it stands, what a parameter adds to it, and at most what the tool is about. */
interface PartWeight {
  readonly sum: number;
  /** All that speaks for an attack, without what speaks against it. */
  readonly gain: number;
  readonly most: number;
  readonly asParameter: number;
  readonly asBid: number;
  readonly has: number;
}

/** Servers repeat themselves: the same sentence stands in many of their definitions. */
const known = new Map<string, readonly PartWeight[]>();
const MAX_KNOWN = 5_000;
const MAX_REMEMBERED = 300;

function weighParts(sentence: string): readonly PartWeight[] {
  const earlier = known.get(sentence);
  if (earlier !== undefined) return earlier;
  const whole = toEvidence(sentence).map(weighPart);
  // A clause has nothing that speaks for an attack and its sentence has not.
  const clauses = whole.some(({ gain }) => gain > NEEDED) ? toClauses(sentence) : [];
  const parts = [...whole, ...clauses.flatMap((clause) => toEvidence(clause).map(weighPart))];
  if (sentence.length <= MAX_REMEMBERED) {
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(sentence, parts);
  }
  return parts;
}

function weighPart({ stems, has, opens: starts, near: after }: Evidence): PartWeight {
  let sum = 0;
  let gain = 0;
  let asParameter = 0;
  let asBid = SENTENCE_WEIGHTS.bidBias;
  let most = 0;
  stemWeights ??= toStemWeights();
  const add = (weight: number): void => {
    sum += weight;
    if (weight > 0) gain += weight;
  };
  for (let at = 0; at < stems.length; at++) {
    const stem = stemWeights.get(stems[at] ?? "");
    if (stem === undefined) continue;
    const pair = stem.next?.get(stems[at + 1] ?? "");
    if (pair !== undefined && isFirst(stems, at, true)) add(pair);
    if (!isFirst(stems, at, false)) continue;
    add(stem.word);
    asParameter += stem.parameter;
    if (stem.parameter > 0) gain += stem.parameter;
    asBid += stem.bid;
  }
  for (let bits = has; bits !== 0; bits &= bits - 1) {
    const at = toPlace(bits);
    const own = parameterClasses[at] ?? 0;
    add(classes[at] ?? 0);
    asParameter += own;
    asBid += bids[at] ?? 0;
    const subject = Math.max(atHome[at] ?? 0, abroad[at] ?? 0);
    most += subject;
    gain += Math.max(0, own) + Math.max(0, subject);
    for (let rest = after[at] ?? 0; rest !== 0; rest &= rest - 1) add(near[at * CLASSES + toPlace(rest)] ?? 0);
  }
  for (let bits = starts; bits !== 0; bits &= bits - 1) add(opens[toPlace(bits)] ?? 0);
  return { sum, gain, asParameter, asBid, most, has };
}

/** The same word counts once, and so do the same two words. */
function isFirst(stems: readonly string[], at: number, both: boolean): boolean {
  for (let earlier = stems.indexOf(stems[at] ?? ""); earlier < at; earlier++)
    if (stems[earlier] === stems[at] && (!both || stems[earlier + 1] === stems[at + 1])) return false;
  return true;
}

interface StemWeights {
  word: number;
  parameter: number;
  bid: number;
  /** By the word after it, what both together add. */
  next: Map<string, number> | null;
}

function toStemWeights(): ReadonlyMap<string, StemWeights> {
  const stems = new Map<string, StemWeights>();
  const of = (stem: string): StemWeights => {
    const earlier = stems.get(stem) ?? { word: 0, parameter: 0, bid: 0, next: null };
    stems.set(stem, earlier);
    return earlier;
  };
  for (const [stem, weight] of toTable(SENTENCE_WEIGHTS.words)) of(stem).word = weight;
  for (const [stem, weight] of toTable(SENTENCE_WEIGHTS.parameterWords)) of(stem).parameter = weight;
  for (const [stem, weight] of toTable(SENTENCE_WEIGHTS.bidWords)) of(stem).bid = weight;
  for (const [both, weight] of toTable(SENTENCE_WEIGHTS.pairs)) {
    const [first = "", second = ""] = both.split(" ");
    const stem = of(first);
    stem.next ??= new Map();
    stem.next.set(second, weight);
  }
  return stems;
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
