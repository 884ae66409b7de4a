import type { TextPiece } from "./definition-texts.ts";
import { isDisguised } from "./disguised-text.ts";
import { CLASSES, toPlace, toStanding } from "./evidence.ts";
import { FOREIGN } from "./foreign-words.ts";
import { endsSentence } from "./plain-text.ts";
import { toWord } from "./read-sentence.ts";
import { SENTENCE_WEIGHTS } from "./sentence-weights.ts";
import { abroad, atHome, classes, loadStemWeights, near, opens, parameterClasses } from "./weight-tables.ts";
import { classesOf } from "./word-classes.ts";

/** What a word can add at most. */
interface Share {
  readonly text: string;
  readonly stem: string;
  readonly gain: number;
  readonly asParameter: number;
  /** By the word behind it, what both together add. */
  readonly next: ReadonlyMap<string, number> | null;
  readonly classes: number;
  readonly leads: boolean;
  /** A sentence ends with it. */
  readonly stops: boolean;
  /** It may be more than a word, or a word of another language. */
  readonly odd: boolean;
}

/** Longer runs of letters may be encoded, more digits too, and one letter after the other may be a word. */
const LONGEST_WORD = 20;
const MOST_DIGITS = 30;
const MOST_LETTERS = 2;
const [BLANK, NINE, ZERO] = [32, 57, 48];
/** Letters, digits, and signs that neither mark something up nor hide anything. */
const ORDINARY = new Uint8Array(128);
for (const sign of "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,'()")
  ORDINARY[sign.charCodeAt(0)] = 1;

/**
 * Whether a text is made of words that together weigh too little for an attack, sentence by sentence. Then it does
 * not have to be read. No short way is shorter: one step for each character, and a look at each word.
 */
export function isPlainlyHarmless(text: string, kind: TextPiece["kind"]): boolean {
  const isParameter = kind === "parameter" || kind === "key";
  const needed = -SENTENCE_WEIGHTS.bias - Math.max(standingOf(kind, true), standingOf(kind, false));
  let [gain, has, digits, letters, start, counted] = [0, 0, 0, 0, 0, 0];
  let before: Share | null = null;
  for (let at = 0; at <= text.length; at++) {
    const code = at === text.length ? BLANK : text.charCodeAt(at);
    if (code > 127 || ORDINARY[code] === 0) return false;
    if (isDigit(code)) digits += 1;
    if (code !== BLANK) continue;
    const length = at - start;
    if (length > LONGEST_WORD || (length === 0 && at < text.length)) return false;
    if (length === 1) letters += 1;
    // All numbers are one word to the weights, and few of them come twice.
    const isNumber = digits - counted === length - (isDigit(text.charCodeAt(at - 1)) ? 0 : 1) && digits > counted;
    const share = shareOf(isNumber ? "0" : text.slice(start, at));
    start = at + 1;
    counted = digits;
    if (share.odd) return false;
    if (share.text === "") continue;
    gain += share.gain + (isParameter ? share.asParameter : 0) + above(before?.next?.get(share.stem));
    has |= share.classes | (before?.leads === true ? classesOf(`${before.text} ${share.text}`) : 0);
    before = share;
    if (!share.stops) continue;
    if (gain + gainOf(has, isParameter) > needed) return false;
    gain = 0;
    has = 0;
    before = null;
  }
  return digits <= MOST_DIGITS && letters <= MOST_LETTERS && gain + gainOf(has, isParameter) <= needed;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

function standingOf(kind: TextPiece["kind"], isFirst: boolean): number {
  return SENTENCE_WEIGHTS.standings[toStanding(kind, isFirst && kind === "description")];
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

const known = new Map<string, Share>();
const MAX_KNOWN = 20_000;

function shareOf(written: string): Share {
  const earlier = known.get(written);
  if (earlier !== undefined) return earlier;
  if (known.size >= MAX_KNOWN) known.clear();
  const { text, stem, classes: own, leads, strangeness } = toWord(written.toLowerCase());
  const weights = loadStemWeights().get(stem);
  const share = {
    text,
    stem,
    gain: above(weights?.word),
    asParameter: above(weights?.parameter),
    next: weights?.next ?? null,
    classes: own,
    leads,
    stops: endsSentence(written.toLowerCase()),
    odd: strangeness >= FOREIGN / 2 || isDisguised(written),
  };
  known.set(written, share);
  return share;
}
