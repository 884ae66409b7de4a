import type { TextPiece } from "./definition-texts.ts";
import { readPieces } from "./read-sentence.ts";

/** The features of a sentence that weights are learned for, each once. */
export interface Evidence {
  /** Its stems in order. A weight belongs to one, or to two adjacent ones. */
  readonly stems: readonly string[];
  /** The classes of all its words, and of those where an order can begin. */
  readonly has: number;
  readonly opens: number;
  /** By class, the classes of the few words that follow. */
  readonly near: Int32Array;
}

/** How similar a sentence is to attacks: above zero it probably is one. */
export interface SentenceVerdict {
  readonly score: number;
  /** The classes of its words, which tell the kind of attack. */
  readonly has: number;
  /** More likely a bid to be chosen than another attack. */
  readonly isBid: boolean;
}

/** Where a sentence appears, as far as its weight depends on that. */
export type EvidenceStanding = "opening" | "description" | "parameter" | "key" | "schema";

const REACH = 4;
export const CLASSES = 31;
/** Longer than most sentences; the rest is read in overlapping parts, so that no length hides an order. */
const MOST_WORDS = 40;
const STEP = 30;
/** A single word carries too little. */
const FEWEST_WORDS = 2;
const CLAUSE_END = /(?<=[,:;)\]])\s+|\s+-+\s+/u;
const MAY_END = /[,:;)\]-] /;
const CLAUSE_WORDS = 4;
const WORD_END = /[\s=>]+|:(?=[a-z+@])/u;

/** Each clause of a sentence with several, so that harmless words cannot bury an order. */
export function toClauses(sentence: string): readonly string[] {
  if (!MAY_END.test(sentence)) return NONE;
  const clauses = sentence
    .split(CLAUSE_END)
    .filter((clause) => clause.split(" ", CLAUSE_WORDS).length === CLAUSE_WORDS);
  return clauses.length < 2 ? NONE : clauses;
}

const NONE: readonly string[] = [];

/** The evidence of a sentence or a clause; a long one is read in parts. */
export function toEvidence(text: string): readonly Evidence[] {
  const words = text.split(WORD_END);
  const found: Evidence[] = [];
  for (let at = 0; at === 0 || at + MOST_WORDS - STEP < words.length; at += STEP) {
    const evidence = readPart(words.slice(at, at + MOST_WORDS));
    if (evidence !== null) found.push(evidence);
  }
  return found;
}

function readPart(pieces: readonly string[]): Evidence | null {
  const { stems, classes, opens: starts } = readPieces(pieces);
  if (stems.length < FEWEST_WORDS) return null;
  const near = new Int32Array(CLASSES);
  let has = 0;
  let opens = 0;
  for (let at = 0; at < stems.length; at++) {
    const own = classes[at] ?? 0;
    if (own === 0) continue;
    has |= own;
    if (starts[at] !== 0) opens |= own;
    let after = 0;
    for (let next = at + 1; next <= at + REACH && next < classes.length; next++) after |= classes[next] ?? 0;
    for (let bits = own; bits !== 0; bits &= bits - 1) {
      const place = toClassIndex(bits);
      near[place] = (near[place] ?? 0) | after;
    }
  }
  return { stems, has, opens, near };
}

/** The position of the lowest class of some. */
export function toClassIndex(classes: number): number {
  return 31 - Math.clz32(classes & -classes);
}

/** All classes of a text, for a tool's topic. */
export function toClasses(text: string): number {
  return toEvidence(text).reduce((all, { has }) => all | has, 0);
}

export function toEvidenceStanding(kind: TextPiece["kind"], opening: boolean): EvidenceStanding {
  if (opening) return "opening";
  if (kind === "title" || kind === "description") return "description";
  return kind === "switch" ? "schema" : kind;
}
