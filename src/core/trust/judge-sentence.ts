import { type SentenceVerdict, toEvidence } from "./evidence.ts";
import { toForeignClasses } from "./foreign-classes.ts";
import { weighForeign } from "./weigh-foreign.ts";
import { type SentenceContext, weighSentence } from "./weigh-sentence.ts";
import { loadWordWeights } from "./weight-tables.ts";

/** A verdict, or that none is possible. */
interface Judgement extends SentenceVerdict {
  /** False for a language that is not known. */
  readonly isKnown: boolean;
}

/** Judges a sentence of any language; English within it counts as well. */
export function judgeSentence(sentence: string, place: SentenceContext): Judgement {
  const english = weighSentence(sentence, place);
  const classes = toForeignClasses(sentence);
  if (classes === null) return { ...english, isKnown: !isStrange(sentence) };
  const foreign = weighForeign(classes, place.standing);
  return { ...(foreign.score > english.score ? foreign : english), isKnown: classes.isKnown };
}

/** This many consecutive words can hold an order. */
const STRANGE_WORDS = 10;
const STRANGE_SHARE = 0.8;

/** Whether too few of the words are known to say what they mean. */
export function isTooStrange(words: number, unknown: number): boolean {
  return words >= STRANGE_WORDS && unknown >= words * STRANGE_SHARE;
}

/** Nearly every English sentence has one of these, so that rare words make none strange. */
const ENGLISH = /\b(?:the|and|to|of|a|an|for|with|in|is|are|or|from|by|on|this|that|it|be|as|at|if|e\.g)\b/;
/** Punctuation of a list of values. */
const LISTED = /[,|{}[\]=<>]/g;
const MOST_LISTED = 2;
/** Names, numbers and values are no words. */
const LETTERS = /^[a-z']{2,}$/;

function isStrange(sentence: string): boolean {
  if (ENGLISH.test(sentence) || (sentence.match(LISTED)?.length ?? 0) > MOST_LISTED) return false;
  const { stems: known } = loadWordWeights();
  return toEvidence(sentence).some(({ stems }) =>
    isTooStrange(stems.length, stems.filter((stem) => LETTERS.test(stem) && !known.has(stem)).length),
  );
}
