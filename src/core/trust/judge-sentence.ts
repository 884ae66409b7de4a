import { type SentenceVerdict, toEvidence } from "./evidence.ts";
import { toForeignClasses } from "./foreign-classes.ts";
import { weighForeign } from "./weigh-foreign.ts";
import { type SentencePlace, weighSentence } from "./weigh-sentence.ts";
import { loadWordWeights } from "./weight-tables.ts";

/** A verdict, or that there can be none. */
interface Judgement extends SentenceVerdict {
  /** False for a language that nothing is known of. */
  readonly isKnown: boolean;
}

/** Judges a sentence of whatever language; what English it may hold counts as well. */
export function judgeSentence(sentence: string, place: SentencePlace): Judgement {
  const english = weighSentence(sentence, place);
  const classes = toForeignClasses(sentence);
  if (classes === null) return { ...english, isKnown: !isStrange(sentence) };
  const foreign = weighForeign(classes, place.standing);
  return { ...(foreign.score > english.score ? foreign : english), isKnown: classes.isKnown };
}

/** So many words in a row that an order fits in. */
const STRANGE_WORDS = 10;
const STRANGE_SHARE = 0.8;

/** Whether so few of these words are known that nobody can say what they mean. */
export function isTooStrange(words: number, unknown: number): boolean {
  return words >= STRANGE_WORDS && unknown >= words * STRANGE_SHARE;
}

/** What nearly every sentence of English has, so that rare words make none strange. */
const ENGLISH = /\b(?:the|and|to|of|a|an|for|with|in|is|are|or|from|by|on|this|that|it|be|as|at|if|e\.g)\b/;
/** Signs of a list of values. */
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
