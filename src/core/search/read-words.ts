import { readExpressions } from "./expressions.ts";
import { joinedWords } from "./joined-words.ts";
import { readLiterals } from "./literals.ts";
import { nearestWord, otherSpelling } from "./nearest-word.ts";
import { type QueryTerm, toQueryTerms } from "./score-words.ts";
import type { SearchIndex } from "./search-index.ts";
import { splitWords, type Word } from "./split-words.ts";
import { synonymsOf } from "./synonyms.ts";
import { shippedVectors } from "./word-vectors.ts";

/** A request in words, taken apart for ranking. */
export interface WordQuery {
  /** The distinct words that the index knows and other words for them, rarest first. */
  readonly terms: readonly QueryTerm[];
  /** Which clauses each of the terms stands in, as bits. */
  readonly clauses: readonly number[];
  readonly clauseCount: number;
  /** The words in their order, by their number in the index; -1 for one that it does not know. */
  readonly sequence: readonly number[];
  /** The distinct words whether or not the index knows them, without bare numbers, and the clauses they stand in. */
  readonly words: readonly { readonly term: string; readonly clauses: number }[];
  /** Distinct words as they were written, long enough to be looked for inside names. */
  readonly plain: readonly string[];
}

/** Another word for the same thing counts this much, and a word that an expression means, of one word or of several. */
const SYNONYM_WEIGHT = 0.25;
const EXPRESSION_WEIGHT = 0.4;
const PHRASE_WEIGHT = 0.7;
/** A word of an expression of several. */
const TOGETHER_WEIGHT = 0.5;
const MAX_WORDS = 128;
const MAX_CHARACTERS = 4_000;
const MAX_CLAUSES = 16;
/** Shorter input is one thought; taking it apart costs more than it finds. */
const LONG = 8;
const MIN_PLAIN = 4;
const NUMBER = /^\d+$/;
/** What follows a dot at once is a part of a name, such as the "js" of a library. */
const WORD = /(?<![\p{L}\p{N}]\.)(?<![\p{L}\p{N}'-])[\p{L}\p{N}'-]+/gu;
/** Where one wish ends and the next begins. */
const CLAUSE_END =
  /[.?!;\n]+(?:\s|$)|,\s*(?:and|then|also|but|plus)\b|\b(?:and then|then|additionally|also|furthermore|moreover|finally|lastly|as well as|after that|next)\b/giu;

export function readWords<K>(index: SearchIndex<K>, text: string): WordQuery {
  const capped = text.slice(0, MAX_CHARACTERS);
  const typed = capped.toLowerCase().match(WORD)?.slice(0, MAX_WORDS) ?? [];
  const { meant, together } = readExpressions(typed);
  const words: Word[] = [];
  for (const word of splitWords(capped, MAX_WORDS)) words.push(...correct(index, word));
  // Long requests say in many words what they mean, and chance would find expressions in all of them.
  const isShort = words.length <= LONG;
  const trust = Math.min(1, LONG / words.length);
  const weights = new Map<string, number>();
  for (const { term } of words) weights.set(term, isShort && together.has(term) ? TOGETHER_WEIGHT : 1);
  const means = (term: string, weight: number): void => {
    if (!weights.has(term)) weights.set(term, weight * trust);
  };
  for (const [term, isPhrase] of meant) means(term, isPhrase && isShort ? PHRASE_WEIGHT : EXPRESSION_WEIGHT);
  for (const term of readLiterals(capped)) means(term, EXPRESSION_WEIGHT);
  for (const term of [...weights.keys()])
    for (const other of synonymsOf(term)) if (!weights.has(other)) weights.set(other, SYNONYM_WEIGHT);
  const terms = toQueryTerms(index, weights);
  const parts = words.length < LONG ? [] : capped.split(CLAUSE_END).map((part) => splitWords(part, MAX_WORDS));
  const wishes = parts.filter((part) => part.length > 1).slice(0, MAX_CLAUSES);
  const masks = new Map<string, number>();
  const ownMasks = new Map<string, number>();
  for (const { term, plain } of words) if (!NUMBER.test(plain)) ownMasks.set(term, 0);
  wishes.forEach((part, clause) => {
    for (const { term } of part) {
      for (const same of [term, ...synonymsOf(term)]) masks.set(same, (masks.get(same) ?? 0) | (1 << clause));
      const own = ownMasks.get(term);
      if (own !== undefined) ownMasks.set(term, own | (1 << clause));
    }
  });
  return {
    terms,
    clauses: terms.map(({ postings }) => masks.get(postings.term) ?? 0),
    clauseCount: wishes.length < 2 ? 0 : wishes.length,
    sequence: words.filter(({ whole }) => !whole).map(({ term }) => index.find(term)?.id ?? -1),
    words: [...ownMasks].map(([term, clauses]) => ({ term, clauses })),
    plain: [...new Set(words.map(({ plain }) => plain).filter(({ length }) => length >= MIN_PLAIN))],
  };
}

/** A word that no tool holds may be two that tools write apart, or be spelled otherwise, and one that the language of requests lacks too, mistyped. */
function correct<K>(index: SearchIndex<K>, word: Word): readonly Word[] {
  const { term } = word;
  if (index.find(term) !== undefined || synonymsOf(term).size > 0) return [word];
  const joined = joinedWords(index, word);
  if (joined !== null) return joined;
  const isWord = shippedVectors().rowOf(term) >= 0;
  const near = otherSpelling(index, word) ?? (isWord ? null : nearestWord(index, word));
  return [near === null ? word : { ...word, term: near }];
}
