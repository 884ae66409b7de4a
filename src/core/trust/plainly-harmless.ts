import type { TextPiece } from "./definition-texts.ts";
import { isDisguised } from "./disguised-text.ts";
import { CLASSES, type EvidenceStanding, toPlace, toStanding } from "./evidence.ts";
import { FOREIGN } from "./foreign-words.ts";
import { endsSentence } from "./plain-text.ts";
import { toWord } from "./read-sentence.ts";
import { SENTENCE_WEIGHTS } from "./sentence-weights.ts";
import { weighSentence } from "./weigh-sentence.ts";
import { abroad, atHome, classes, loadWordWeights, near, opens, parameterClasses, toPair } from "./weight-tables.ts";

/** What a word can add at most. */
interface Share {
  readonly written: string;
  readonly text: string;
  /** Names it in a pair. */
  readonly number: number;
  readonly gain: number;
  readonly asParameter: number;
  readonly classes: number;
  /** By the word behind it, the classes that both have together. */
  readonly pairs: ReadonlyMap<string, number> | null;
  /** A sentence ends with it. */
  readonly stops: boolean;
  /** It may be more than a word, or a word of another language. */
  readonly odd: boolean;
}

/** Longer words may be encoded, and so may a sentence in more digits; more single letters in a row may be a word set apart. */
const LONGEST_WORD = 20;
const MOST_DIGITS = 23;
const MOST_LETTERS = 3;
const SET_APART = /[a-z]\.[a-z]\.[a-z]/;
const BLANK = 32;
/** What neither marks something up nor hides anything; 0 for all other characters. */
const SIGN = 1;
const DIGIT = 2;
const SORTS = new Uint8Array(128);
for (const sign of "abcdefghijklmnopqrstuvwxyz .,'()") SORTS[sign.charCodeAt(0)] = SIGN;
for (const digit of "0123456789") SORTS[digit.charCodeAt(0)] = DIGIT;

/**
 * Whether a text is made of ordinary words alone, in sentences that weigh too little for an attack: most texts are, and
 * need no other reading. One step for each character, and a look at each word.
 */
export function isPlainlyHarmless(raw: string, kind: TextPiece["kind"], home: () => number): boolean {
  const text = raw.toLowerCase();
  const weights = loadWordWeights();
  const isParameter = kind === "parameter" || kind === "key";
  let standing = toStanding(kind, kind === "description");
  let gain = 0;
  let has = 0;
  let digits = 0;
  let letters = 0;
  let opening = 0;
  let before = NOTHING;
  for (let start = 0, at = 0; start <= text.length; start = at + 1) {
    at = endOfWord(text, start);
    if (at === ODD || (at === start && at < text.length)) return false;
    digits += word.digits;
    const share =
      word.digits > 0 ? shareWithDigits(text.slice(start, at), word.digits) : shareOf(text, start, at, word.hash);
    letters = share.text.length === 1 ? letters + 1 : 0;
    if (share.odd || letters > MOST_LETTERS) return false;
    if (share.text !== "") {
      gain += share.gain + (isParameter ? share.asParameter : 0);
      gain += above(weights.pairs.get(toPair(before.number, share.number)));
      has |= share.classes | (before.pairs?.get(share.text) ?? 0);
      before = share;
    }
    if (!share.stops && at < text.length) continue;
    // Few sentences have to be weighed with all that speaks against an attack.
    if (
      gain + gainOf(has, isParameter) > neededFor(standing) &&
      weighSentence(text.slice(opening, at), { standing, home }).score > 0
    )
      return false;
    standing = toStanding(kind, false);
    opening = at + 1;
    gain = 0;
    has = 0;
    before = NOTHING;
  }
  return digits <= MOST_DIGITS;
}

const ODD = -1;
/** What was counted in the last word: a loop of its own over characters is fast from the first texts on. */
const word = { hash: 0, digits: 0 };

function endOfWord(text: string, from: number): number {
  const most = Math.min(text.length, from + LONGEST_WORD + 1);
  let hash = 0;
  let digits = 0;
  let at = from;
  for (; at < most; at++) {
    const code = text.charCodeAt(at);
    if (code === BLANK) break;
    const sort = code < 128 ? SORTS[code] : 0;
    if (sort === 0) return ODD;
    if (sort === DIGIT) digits += 1;
    hash = (Math.imul(hash, 31) + code) | 0;
  }
  word.hash = hash;
  word.digits = digits;
  return at - from > LONGEST_WORD ? ODD : at;
}

function neededFor(standing: EvidenceStanding): number {
  return -SENTENCE_WEIGHTS.bias - SENTENCE_WEIGHTS.standings[standing];
}

/** What classes can add at most, if each stands next to every other. */
function gainOf(has: number, isParameter: boolean): number {
  let sum = 0;
  for (let bits = has; bits !== 0; bits &= bits - 1) {
    const at = toPlace(bits);
    sum += above(classes[at]) + above(opens[at]) + (isParameter ? above(parameterClasses[at]) : 0);
    sum += Math.max(above(atHome[at]), above(abroad[at]));
    for (let rest = has; rest !== 0; rest &= rest - 1) sum += above(near[at * CLASSES + toPlace(rest)]);
  }
  return sum;
}

function above(weight: number | undefined): number {
  return weight !== undefined && weight > 0 ? weight : 0;
}

/** Words that came before, each where its letters lead; another that leads to the same place takes it. */
const PLACES = 1 << 13;
const known: (Share | undefined)[] = Array.from({ length: PLACES });

function shareOf(text: string, from: number, to: number, hash: number): Share {
  const place = (hash ^ (hash >>> 13)) & (PLACES - 1);
  const earlier = known[place];
  if (earlier !== undefined && isAt(earlier.written, text, from, to)) return earlier;
  const share = toShare(text.slice(from, to));
  known[place] = share;
  return share;
}

function isAt(known: string, text: string, from: number, to: number): boolean {
  if (known.length !== to - from) return false;
  for (let at = 0; at < known.length; at++) if (known.charCodeAt(at) !== text.charCodeAt(from + at)) return false;
  return true;
}

/** All numbers are one word to the weights, and few of them come twice. */
function shareWithDigits(written: string, digits: number): Share {
  const sign = written.slice(digits);
  const one = sign.length > 1 || isDigit(sign) ? written : `0${sign}`;
  return shareOf(one, 0, one.length, one.length);
}

function isDigit(sign: string): boolean {
  return sign !== "" && SORTS[sign.charCodeAt(0)] === DIGIT;
}

function toShare(written: string): Share {
  const { text, stem, classes: own, pairs, strangeness } = toWord(written);
  const weights = loadWordWeights().stems.get(stem);
  return {
    written,
    text,
    number: weights?.number ?? 0,
    gain: above(weights?.word),
    asParameter: above(weights?.parameter),
    classes: own,
    pairs,
    stops: endsSentence(written),
    odd: strangeness >= FOREIGN / 2 || isDisguised(written) || SET_APART.test(written),
  };
}

const NOTHING: Share = {
  written: "",
  text: "",
  number: 0,
  gain: 0,
  asParameter: 0,
  classes: 0,
  pairs: null,
  stops: false,
  odd: false,
};
