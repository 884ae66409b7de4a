import { stem } from "./stem.ts";
import { STOP_WORDS } from "./stop-words.ts";

/** A run of letters and digits of any script. */
const RUN = /[\p{L}\p{N}]+/gu;
/** Where camelCase and HTTPServer break: before a capital behind a small letter, before the last capital of many. */
const HUMP = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
/** Scripts that write no spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const MAX_WORD = 64;

export interface Word {
  /** What is compared: lower case, stemmed. */
  readonly term: string;
  /** As it was written, in lower case. */
  readonly plain: string;
  /** `github` beside `git` and `hub`: the whole of an identifier whose parts stand before it. */
  readonly whole: boolean;
}

/** The words of text or identifiers in order, without those that say nothing, at most `limit` of them. */
export function splitWords(text: string, limit: number): readonly Word[] {
  const words: Word[] = [];
  for (const [run] of text.matchAll(RUN)) {
    if (words.length >= limit) break;
    if (UNSPACED.test(run)) pushPairs(run, words, limit);
    else pushParts(run, words, limit);
  }
  return words;
}

function pushParts(run: string, words: Word[], limit: number): void {
  const parts = run.slice(0, MAX_WORD).split(HUMP);
  let pushed = 0;
  for (const part of parts) {
    const plain = part.toLowerCase();
    if (STOP_WORDS.has(plain) || words.length >= limit) continue;
    words.push({ term: stem(plain), plain, whole: false });
    pushed += 1;
  }
  if (parts.length < 2 || pushed === 0 || words.length >= limit) return;
  const plain = run.slice(0, MAX_WORD).toLowerCase();
  words.push({ term: stem(plain), plain, whole: true });
}

/** Neighbouring characters in pairs stand for words where none are marked. */
function pushPairs(run: string, words: Word[], limit: number): void {
  const characters = [...run.toLowerCase()];
  for (let at = 0; at < Math.max(1, characters.length - 1) && words.length < limit; at++) {
    const plain = characters.slice(at, at + 2).join("");
    words.push({ term: plain, plain, whole: false });
  }
}
