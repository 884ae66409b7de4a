import {
  CLASSES,
  type Evidence,
  type EvidenceStanding,
  type SentenceVerdict,
  toClassIndex,
  toClauses,
  toEvidence,
} from "./evidence.ts";
import { SENTENCE_WEIGHTS } from "./sentence-weights.ts";
import {
  abroad,
  atHome,
  bids,
  classes,
  loadWordWeights,
  NEEDED,
  near,
  opens,
  parameterClasses,
  toPair,
} from "./weight-tables.ts";

/** Where a sentence appears, and the classes of its tool's topic, which few sentences need. */
export interface SentenceContext {
  readonly standing: EvidenceStanding;
  readonly home: () => number;
}

/** Weighs an English sentence by its features; its heaviest part counts. */
export function weighSentence(sentence: string, { standing, home }: SentenceContext): SentenceVerdict {
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
    const at = toClassIndex(bits);
    sum += ((home & (1 << at)) !== 0 ? atHome[at] : abroad[at]) ?? 0;
  }
  return sum;
}

/** The weight of a part anywhere, what a parameter adds, and the most that the tool's topic can change. */
interface PartWeight {
  readonly sum: number;
  /** Everything that speaks for an attack, without what speaks against it. */
  readonly gain: number;
  readonly most: number;
  readonly asParameter: number;
  readonly asBid: number;
  readonly has: number;
}

/** Cached: servers repeat sentences in many definitions. */
const known = new Map<string, readonly PartWeight[]>();
const MAX_KNOWN = 5_000;
const MAX_REMEMBERED = 300;

function weighParts(sentence: string): readonly PartWeight[] {
  const earlier = known.get(sentence);
  if (earlier !== undefined) return earlier;
  const whole = toEvidence(sentence).map(weighPart);
  // Nothing in a clause speaks for an attack that is not in the whole sentence.
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
  let before = 0;
  const weights = loadWordWeights();
  const add = (weight: number): void => {
    sum += weight;
    if (weight > 0) gain += weight;
  };
  for (let at = 0; at < stems.length; at++) {
    const stem = weights.stems.get(stems[at] ?? "");
    const pair = weights.pairs.get(toPair(before, stem?.number ?? 0));
    if (pair !== undefined && isFirst(stems, at - 1, true)) add(pair);
    before = stem?.number ?? 0;
    if (stem === undefined) continue;
    if (!isFirst(stems, at, false)) continue;
    add(stem.word);
    asParameter += stem.parameter;
    if (stem.parameter > 0) gain += stem.parameter;
    asBid += stem.bid;
  }
  for (let bits = has; bits !== 0; bits &= bits - 1) {
    const at = toClassIndex(bits);
    const own = parameterClasses[at] ?? 0;
    add(classes[at] ?? 0);
    asParameter += own;
    asBid += bids[at] ?? 0;
    const subject = Math.max(atHome[at] ?? 0, abroad[at] ?? 0);
    most += subject;
    gain += Math.max(0, own) + Math.max(0, subject);
    for (let rest = after[at] ?? 0; rest !== 0; rest &= rest - 1) add(near[at * CLASSES + toClassIndex(rest)] ?? 0);
  }
  for (let bits = starts; bits !== 0; bits &= bits - 1) add(opens[toClassIndex(bits)] ?? 0);
  return { sum, gain, asParameter, asBid, most, has };
}

/** The same word counts once, and so does the same pair. */
function isFirst(stems: readonly string[], at: number, both: boolean): boolean {
  for (let earlier = stems.indexOf(stems[at] ?? ""); earlier < at; earlier++)
    if (stems[earlier] === stems[at] && (!both || stems[earlier + 1] === stems[at + 1])) return false;
  return true;
}
