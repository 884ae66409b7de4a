import { toRequiredWords } from "./required-words.ts";

/** The small letters, digits and signs that patterns are made of; every other character is one of its own. */
const SIGNS = "abcdefghijklmnopqrstuvwxyz0123456789 '-_./:~$<[({|@&%#\\";
const COLUMNS = SIGNS.length + 1;
const COLUMN_OF = new Uint8Array(128);
for (let at = 0; at < SIGNS.length; at++) COLUMN_OF[SIGNS.charCodeAt(at)] = at + 1;

interface Index {
  /** Row after row of COLUMNS states, each named by its number. */
  readonly next: Int32Array;
  /** For each state the patterns whose word ends there. */
  readonly found: readonly (readonly number[])[];
  /** Patterns without such words. */
  readonly always: readonly number[];
  /** Patterns with a word beyond ASCII. */
  readonly foreign: readonly number[];
}

/** All patterns of all sieves share one index, because a sentence is put through most of them. */
const patterns: RegExp[] = [];
let index: Index | null = null;
/** For each pattern the number of the last text that has its words. */
let marks = new Uint32Array(0);
let read = "";
let reads = 0;

/**
 * Tells whether any of some patterns matches a text. One step for each character finds the words that patterns cannot do
 * without, for all sieves at once, and only those whose words are there are tried: for most sentences none.
 */
export function createSieve(own: readonly RegExp[]): (text: string) => boolean {
  const from = patterns.length;
  patterns.push(...own);
  index = null;
  return (text) => {
    if (index === null || text !== read || reads === 0) readWords(text);
    for (let at = 0; at < own.length; at++) if (marks[from + at] === reads && own[at]?.test(text) === true) return true;
    return false;
  };
}

/** Marks every pattern whose words the text has. */
function readWords(text: string): void {
  if (index === null) {
    index = buildIndex();
    marks = new Uint32Array(patterns.length);
    reads = 0;
  }
  const { next, found, always, foreign } = index;
  read = text;
  reads += 1;
  for (const pattern of always) marks[pattern] = reads;
  let state = 0;
  let beyond = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 191 && (code < 0x2000 || code > 0x2bff) && (code < 0xd800 || code > 0xdfff)) beyond = true;
    state = next[state * COLUMNS + (code > 127 ? 0 : (COLUMN_OF[code] ?? 0))] ?? 0;
    const here = found[state];
    if (here !== undefined && here.length > 0) for (const pattern of here) marks[pattern] = reads;
  }
  if (beyond) for (const pattern of foreign) marks[pattern] = reads;
}

function buildIndex(): Index {
  const always: number[] = [];
  const foreign: number[] = [];
  const words = new Map<string, number[]>();
  patterns.forEach((pattern, at) => {
    const required = toRequiredWords(pattern);
    // A sign that has no column of its own could never be found.
    if (required === null || required.some((word) => !isPlain(word) && !isForeign(word))) {
      always.push(at);
      return;
    }
    if (required.some(isForeign)) foreign.push(at);
    for (const word of required) if (isPlain(word)) words.set(word, [...(words.get(word) ?? []), at]);
  });
  return { ...buildStates(words), always, foreign };
}

function isPlain(word: string): boolean {
  return [...word].every((sign) => SIGNS.includes(sign));
}

/** Has a letter beyond ASCII; signs, dashes and emoji make no text foreign. */
function isForeign(word: string): boolean {
  return /[\u00c0-\u1fff\u2c00-\ud7ff\ue000-\uffff]/.test(word);
}

/** The trie of all words, with every miss leading to where the longest end of what was read goes on. */
function buildStates(words: ReadonlyMap<string, readonly number[]>): Pick<Index, "next" | "found"> {
  const rows = [...words.keys()].reduce((sum, word) => sum + word.length, 1);
  const next = new Int32Array(rows * COLUMNS);
  const found: number[][] = [[]];
  for (const [word, patterns] of words) {
    let state = 0;
    for (const sign of word) {
      const cell = state * COLUMNS + (COLUMN_OF[sign.charCodeAt(0)] ?? 0);
      if (next[cell] === 0) next[cell] = found.push([]) - 1;
      state = next[cell] ?? 0;
    }
    found[state]?.push(...patterns);
  }
  const waiting: { readonly state: number; readonly fallback: number }[] = [{ state: 0, fallback: 0 }];
  for (const { state, fallback } of waiting) {
    if (state !== 0) found[state]?.push(...(found[fallback] ?? []));
    for (let column = 0; column < COLUMNS; column++) {
      const cell = state * COLUMNS + column;
      const child = next[cell] ?? 0;
      const other = state === 0 ? 0 : (next[fallback * COLUMNS + column] ?? 0);
      if (child === 0) next[cell] = other;
      else waiting.push({ state: child, fallback: other });
    }
  }
  return { next, found };
}
