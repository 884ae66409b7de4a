import type { TextPiece } from "./definition-texts.ts";
import { isDisguised } from "./disguised-text.ts";
import { CLASSES, type EvidenceStanding, toClassIndex, toEvidenceStanding } from "./evidence.ts";
import { isTooStrange } from "./judge-sentence.ts";
import { isForeignSmall } from "./languages/read-foreign.ts";
import { endsSentence } from "./plain-text.ts";
import { toReadWord } from "./read-sentence.ts";
import { SENTENCE_WEIGHTS } from "./sentence-weights.ts";
import { weighSentence } from "./weigh-sentence.ts";
import { abroad, atHome, classes, loadWordWeights, near, opens, parameterClasses, toPair } from "./weight-tables.ts";

/** The most that a word can add. */
interface Share {
  readonly text: string;
  /** Identifies it in a pair. */
  readonly number: number;
  readonly gain: number;
  readonly asParameter: number;
  readonly classes: number;
  /** By the following word, the classes that both have together. */
  readonly pairs: ReadonlyMap<string, number> | null;
  /** It ends a sentence. */
  readonly stops: boolean;
  /** It may be more than a word, or a word of another language. */
  readonly odd: boolean;
}

/** Longer words or more digits may be encoded text; more single letters in a row may be a separated word. */
const LONGEST_WORD = 20;
const MOST_DIGITS = 23;
const MOST_LETTERS = 3;
const SET_APART = /[a-z]\.[a-z]\.[a-z]/;
/** Characters that neither mark up nor hide anything, and digits. */
const ORDINARY = 1;
const DIGIT = 2;
const KINDS_OF_CHARACTERS = Uint8Array.from({ length: 128 }, (_none, code) => {
  const character = String.fromCharCode(code);
  return /\d/.test(character) ? DIGIT : /[a-z .,'()]/i.test(character) ? ORDINARY : 0;
});
/** The weights treat all numbers as one word. */
const NUMBER = / \d{1,9}(?=[ .,]|$)/g;

/** Servers repeat themselves, except for numbers. By kind, texts that are harmless for any tool, with their digits. */
const known: Readonly<Record<TextPiece["kind"], Map<string, number>>> = {
  title: new Map(),
  description: new Map(),
  parameter: new Map(),
  switch: new Map(),
  schema: new Map(),
  key: new Map(),
};
const MAX_KNOWN = 4_000;
const MAX_REMEMBERED = 1_000;

/**
 * Whether a text consists of ordinary words in sentences that weigh too little for an attack: most texts do, and need
 * no further reading. Looks at each word once, and skips texts seen before.
 */
export function isPlainlyHarmless(raw: string, kind: TextPiece["kind"], home: () => number): boolean {
  const text = raw.replace(NUMBER, " 0");
  const dropped = raw.length - text.length;
  const digits = known[kind].get(text);
  if (digits !== undefined) return digits + dropped <= MOST_DIGITS;
  const counted = countDigits(raw);
  return counted !== null && counted <= MOST_DIGITS && isHarmlessOnce(text, counted - dropped, kind, home);
}

/** Null if there is more than ordinary characters. */
function countDigits(raw: string): number | null {
  let digits = 0;
  for (let at = 0; at < raw.length; at++) {
    const kind = KINDS_OF_CHARACTERS[raw.charCodeAt(at)] ?? 0;
    if (kind === 0) return null;
    if (kind === DIGIT) digits += 1;
  }
  return digits;
}

/** Remembered, unless it depends on the tool. */
function isHarmlessOnce(text: string, digits: number, kind: TextPiece["kind"], home: () => number): boolean {
  let asked = false;
  const harmless = isHarmless(text.toLowerCase(), kind, () => {
    asked = true;
    return home();
  });
  if (!harmless || asked) return harmless;
  const seen = known[kind];
  if (seen.size >= MAX_KNOWN) seen.clear();
  if (text.length <= MAX_REMEMBERED) seen.set(text, digits);
  return true;
}

function isHarmless(text: string, kind: TextPiece["kind"], home: () => number): boolean {
  const isParameter = kind === "parameter" || kind === "key";
  let standing = toEvidenceStanding(kind, kind === "description");
  let gain = 0;
  let has = 0;
  let letters = 0;
  let words = 0;
  let unknown = 0;
  let opening = 0;
  let at = -1;
  let before = NOTHING;
  for (const written of text.split(" ")) {
    at += written.length + 1;
    if (written === "" && at < text.length) return false;
    const share = shareOf(written);
    letters = share.text.length === 1 ? letters + 1 : 0;
    if (share.odd || letters > MOST_LETTERS) return false;
    if (share.text !== "") {
      gain += share.gain + (isParameter ? share.asParameter : 0) + gainOfPair(before.number, share.number);
      has |= share.classes | (before.pairs?.get(share.text) ?? 0);
      before = share;
      words += 1;
      if (share.number === 0) unknown += 1;
    }
    if (!share.stops && at < text.length) continue;
    // Few sentences need the full weighing, including what speaks against an attack.
    if (
      gain + gainOf(has, isParameter) > neededFor(standing) &&
      weighSentence(text.slice(opening, at), { standing, home }).score > 0
    )
      return false;
    if (isTooStrange(words, unknown)) return false;
    standing = toEvidenceStanding(kind, false);
    words = 0;
    unknown = 0;
    opening = at + 1;
    gain = 0;
    has = 0;
    before = NOTHING;
  }
  return true;
}

function gainOfPair(first: number, next: number): number {
  return first === 0 || next === 0 ? 0 : above(loadWordWeights().pairs.get(toPair(first, next)));
}

function neededFor(standing: EvidenceStanding): number {
  return -SENTENCE_WEIGHTS.bias - SENTENCE_WEIGHTS.standings[standing];
}

/** The most that classes can add, if each is next to every other. */
function gainOf(has: number, isParameter: boolean): number {
  let sum = 0;
  for (let bits = has; bits !== 0; bits &= bits - 1) {
    const at = toClassIndex(bits);
    sum += above(classes[at]) + above(opens[at]) + (isParameter ? above(parameterClasses[at]) : 0);
    sum += Math.max(above(atHome[at]), above(abroad[at]));
    for (let rest = has; rest !== 0; rest &= rest - 1) sum += above(near[at * CLASSES + toClassIndex(rest)]);
  }
  return sum;
}

function above(weight: number | undefined): number {
  return weight !== undefined && weight > 0 ? weight : 0;
}

const shares = new Map<string, Share>();
const MAX_SHARES = 10_000;

function shareOf(written: string): Share {
  const earlier = shares.get(written);
  if (earlier !== undefined) return earlier;
  if (shares.size >= MAX_SHARES) shares.clear();
  const { text, stem, classes: own, pairs } = toReadWord(written);
  const weights = loadWordWeights().stems.get(stem);
  const share = {
    text,
    number: weights?.number ?? 0,
    gain: above(weights?.word),
    asParameter: above(weights?.parameter),
    classes: own,
    pairs,
    stops: endsSentence(written),
    odd: written.length > LONGEST_WORD || isForeignSmall(text) || isDisguised(written) || SET_APART.test(written),
  };
  shares.set(written, share);
  return share;
}

const NOTHING: Share = {
  text: "",
  number: 0,
  gain: 0,
  asParameter: 0,
  classes: 0,
  pairs: null,
  stops: false,
  odd: false,
};
