/** Stems are needed again and again; this holds the words of a large catalog. */
const CACHE_SIZE = 50_000;
/** Longer words are identifiers or noise, and are not stemmed. */
const MAX_LENGTH = 40;

const cache = new Map<string, string>();

/** The stem of one lower-case English word (Porter 1980); other words come back unchanged. */
export function stem(word: string): string {
  if (word.length < 3 || word.length > MAX_LENGTH) return word;
  const known = cache.get(word);
  if (known !== undefined) return known;
  if (!/^[a-z]+$/.test(word)) return word;
  if (cache.size >= CACHE_SIZE) cache.clear();
  const found = stepFive(stepFour(stepThree(stepTwo(stepOneC(stepOneB(stepOneA(word)))))));
  cache.set(word, found);
  return found;
}

const CONSONANT = "[^aeiou]";
const VOWEL = "[aeiouy]";
const CONSONANTS = `${CONSONANT}[^aeiouy]*`;
const VOWELS = `${VOWEL}[aeiou]*`;
/** At least one vowel-consonant pair, exactly one, more than one, and any vowel at all. */
const ONE_OR_MORE = new RegExp(`^(?:${CONSONANTS})?${VOWELS}${CONSONANTS}`);
const EXACTLY_ONE = new RegExp(`^(?:${CONSONANTS})?${VOWELS}${CONSONANTS}(?:${VOWELS})?$`);
const TWO_OR_MORE = new RegExp(`^(?:${CONSONANTS})?${VOWELS}${CONSONANTS}${VOWELS}${CONSONANTS}`);
const HAS_VOWEL = new RegExp(`^(?:${CONSONANTS})?${VOWEL}`);
const SHORT_END = new RegExp(`^${CONSONANTS}${VOWEL}[^aeiouwxy]$`);

function stepOneA(word: string): string {
  if (word.endsWith("sses") || word.endsWith("ies")) return word.slice(0, -2);
  return word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}

function stepOneB(word: string): string {
  if (word.endsWith("eed")) return ONE_OR_MORE.test(word.slice(0, -3)) ? word.slice(0, -1) : word;
  const cut = word.endsWith("ed") ? 2 : word.endsWith("ing") ? 3 : 0;
  const base = word.slice(0, word.length - cut);
  if (cut === 0 || !HAS_VOWEL.test(base)) return word;
  if (/(?:at|bl|iz)$/.test(base)) return `${base}e`;
  if (/([^aeiouylsz])\1$/.test(base)) return base.slice(0, -1);
  return SHORT_END.test(base) ? `${base}e` : base;
}

function stepOneC(word: string): string {
  return word.endsWith("y") && HAS_VOWEL.test(word.slice(0, -1)) ? `${word.slice(0, -1)}i` : word;
}

const SECOND: readonly (readonly [string, string])[] = [
  ["ational", "ate"],
  ["tional", "tion"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["izer", "ize"],
  ["bli", "ble"],
  ["alli", "al"],
  ["entli", "ent"],
  ["eli", "e"],
  ["ousli", "ous"],
  ["ization", "ize"],
  ["ation", "ate"],
  ["ator", "ate"],
  ["alism", "al"],
  ["iveness", "ive"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["aliti", "al"],
  ["iviti", "ive"],
  ["biliti", "ble"],
  ["logi", "log"],
];

const THIRD: readonly (readonly [string, string])[] = [
  ["icate", "ic"],
  ["ative", ""],
  ["alize", "al"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ful", ""],
  ["ness", ""],
];

function stepTwo(word: string): string {
  return replaceEnd(word, SECOND);
}

function stepThree(word: string): string {
  return replaceEnd(word, THIRD);
}

function replaceEnd(word: string, endings: readonly (readonly [string, string])[]): string {
  const found = endings.find(([ending]) => word.endsWith(ending));
  if (found === undefined) return word;
  const base = word.slice(0, word.length - found[0].length);
  return ONE_OR_MORE.test(base) ? base + found[1] : word;
}

const FOURTH = /^(.+?)(?:al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|(?<=[st])ion|ou|ism|ate|iti|ous|ive|ize)$/;

function stepFour(word: string): string {
  const base = FOURTH.exec(word)?.[1];
  return base !== undefined && TWO_OR_MORE.test(base) ? base : word;
}

function stepFive(word: string): string {
  let found = word;
  if (found.endsWith("e")) {
    const base = found.slice(0, -1);
    if (TWO_OR_MORE.test(base) || (EXACTLY_ONE.test(base) && !SHORT_END.test(base))) found = base;
  }
  return found.endsWith("ll") && TWO_OR_MORE.test(found) ? found.slice(0, -1) : found;
}
