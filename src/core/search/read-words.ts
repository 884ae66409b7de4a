import { readExpressions } from "./expressions.ts";
import { joinedWords } from "./joined-words.ts";
import { readLiterals } from "./literals.ts";
import { nearestWord, otherSpelling } from "./nearest-word.ts";
import { type QueryTerm, toQueryTerms } from "./score-words.ts";
import type { SearchIndex } from "./search-index.ts";
import { splitWords, type Word } from "./split-words.ts";
import { synonymsOf } from "./synonyms.ts";
import { shippedVectors } from "./word-vectors.ts";

/** A request analysed for ranking. */
export interface WordQuery {
  /** The distinct words that the index knows and their synonyms, rarest first. */
  readonly terms: readonly QueryTerm[];
  /** The clauses that contain each term, as bits. */
  readonly clauses: readonly number[];
  readonly clauseCount: number;
  /** The words in order, by their number in the index; -1 for unknown ones. */
  readonly sequence: readonly number[];
  /** All distinct words, known or not, except bare numbers, with the clauses that contain them. */
  readonly words: readonly { readonly term: string; readonly clauses: number }[];
  /** Distinct words as written, long enough to look for inside names. */
  readonly plain: readonly string[];
}

/** The weights of a synonym, and of a word implied by an expression of one word or of several. */
const SYNONYM_WEIGHT = 0.25;
const EXPRESSION_WEIGHT = 0.4;
const PHRASE_WEIGHT = 0.7;
/** The weight of a single word of a multi-word expression. */
const TOGETHER_WEIGHT = 0.5;
const MAX_WORDS = 128;
const MAX_CHARACTERS = 4_000;
const MAX_CLAUSES = 16;
/** Shorter input is one thought; splitting it costs more than it finds. */
const LONG = 8;
const MIN_PLAIN = 4;
const NUMBER = /^\d+$/;
/** Text directly after a dot is part of a name, such as the "js" of a library. */
const WORD = /(?<![\p{L}\p{N}]\.)(?<![\p{L}\p{N}'-])[\p{L}\p{N}'-]+/gu;
/** Where one request ends and the next begins. */
const CLAUSE_END =
  /[.?!;\n]+(?:\s|$)|,\s*(?:and|then|also|but|plus)\b|\b(?:and then|then|additionally|also|furthermore|moreover|finally|lastly|as well as|after that|next)\b/giu;

export function readWords<K>(index: SearchIndex<K>, text: string): WordQuery {
  const capped = text.slice(0, MAX_CHARACTERS);
  const typed = capped.toLowerCase().match(WORD)?.slice(0, MAX_WORDS) ?? [];
  const { meant, together } = readExpressions(typed);
  const words: Word[] = [];
  for (const word of splitWords(capped, MAX_WORDS)) words.push(...correct(index, word));
  // Long requests are explicit, and expressions would match them by chance.
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

/** A word in no tool may be a compound or another spelling; if it is no common word either, it may be mistyped. */
function correct<K>(index: SearchIndex<K>, word: Word): readonly Word[] {
  const { term } = word;
  if (index.find(term) !== undefined || synonymsOf(term).size > 0) return [word];
  const joined = joinedWords(index, word);
  if (joined !== null) return joined;
  const isWord = shippedVectors().rowOf(term) >= 0;
  const near = otherSpelling(index, word) ?? (isWord ? null : nearestWord(index, word));
  return [near === null ? word : { ...word, term: near }];
}
