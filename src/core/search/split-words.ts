import { stem } from "./stem.ts";
import { STOP_WORDS } from "./stop-words.ts";

/** A run of letters and digits, of any script or of ASCII, in which nearly all definitions are written. */
const RUN = /[\p{L}\p{N}]+/gu;
const PLAIN_RUN = /[A-Za-z0-9]+/g;
/** Word breaks in camelCase and HTTPServer: before a capital after a small letter, before the last of several. */
const HUMP = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const PLAIN_HUMP = /[a-z0-9][A-Z]|[A-Z][A-Z][a-z]/;
const FOREIGN = /[^\0-\x7f]/;
/** Scripts that write no spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const MAX_WORD = 64;

export interface Word {
  /** What is compared: lower case, stemmed. */
  readonly term: string;
  /** As written, in lower case. */
  readonly plain: string;
  /** `github` in addition to `git` and `hub`: the whole of an identifier, after its parts. */
  readonly whole: boolean;
}

/** The words of text or identifiers in order, without stop words, at most `limit`. */
export function splitWords(text: string, limit: number): readonly Word[] {
  const words: Word[] = [];
  const isForeign = FOREIGN.test(text);
  for (const run of text.match(isForeign ? RUN : PLAIN_RUN) ?? []) {
    if (words.length >= limit) break;
    if (isForeign && UNSPACED.test(run)) pushPairs(run, words, limit);
    else if (isForeign || PLAIN_HUMP.test(run)) pushParts(run.slice(0, MAX_WORD), words, limit);
    else pushWord(run.slice(0, MAX_WORD).toLowerCase(), words);
  }
  return words;
}

function pushWord(plain: string, words: Word[]): void {
  if (!STOP_WORDS.has(plain)) words.push({ term: stem(plain), plain, whole: false });
}

function pushParts(run: string, words: Word[], limit: number): void {
  const parts = run.split(HUMP);
  const before = words.length;
  for (const part of parts) if (words.length < limit) pushWord(part.toLowerCase(), words);
  if (parts.length < 2 || words.length === before || words.length >= limit) return;
  const plain = run.toLowerCase();
  words.push({ term: stem(plain), plain, whole: true });
}

/** In scripts without spaces, pairs of adjacent characters serve as words. */
function pushPairs(run: string, words: Word[], limit: number): void {
  const characters = [...run.slice(0, 4 * limit).toLowerCase()];
  for (let at = 0; at < Math.max(1, characters.length - 1) && words.length < limit; at++) {
    const plain = characters.slice(at, at + 2).join("");
    words.push({ term: plain, plain, whole: false });
  }
}
