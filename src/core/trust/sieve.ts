import { toRequiredWords } from "./required-words.ts";

/** The small letters, digits and signs that patterns are made of; every other character is one of its own. */
const SIGNS = "abcdefghijklmnopqrstuvwxyz0123456789 '-_./:~$<[({|@&%#\\";
const COLUMNS = SIGNS.length + 1;
const COLUMN_OF = new Uint8Array(128);
for (let at = 0; at < SIGNS.length; at++) COLUMN_OF[SIGNS.charCodeAt(at)] = at + 1;

/**
 * Tells whether any of some patterns matches a text. One step for each character finds the words that the patterns
 * cannot do without, and only those whose words are there are tried: for most sentences none.
 */
export function createSieve(patterns: readonly RegExp[]): (text: string) => boolean {
  let index: Index | null = null;
  return (text) => {
    index ??= buildIndex(patterns);
    return index.always.some((pattern) => pattern.test(text)) || hasCandidate(index, text);
  };
}

interface Index {
  /** Row after row of COLUMNS states, each named by its number. */
  readonly next: Int32Array;
  /** For each state the patterns whose word ends there. */
  readonly found: readonly (readonly number[])[];
  readonly patterns: readonly RegExp[];
  /** Patterns without such words. */
  readonly always: readonly RegExp[];
  /** Patterns with a word beyond ASCII. */
  readonly foreign: readonly RegExp[];
}

function hasCandidate({ next, found, patterns, foreign }: Index, text: string): boolean {
  let state = 0;
  let tried: Set<number> | null = null;
  let beyond = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 127) beyond = true;
    state = next[state * COLUMNS + (code > 127 ? 0 : (COLUMN_OF[code] ?? 0))] ?? 0;
    const here = found[state];
    if (here === undefined || here.length === 0) continue;
    tried ??= new Set();
    for (const candidate of here) {
      if (tried.has(candidate)) continue;
      tried.add(candidate);
      if (patterns[candidate]?.test(text) === true) return true;
    }
  }
  return beyond && foreign.some((pattern) => pattern.test(text));
}

function buildIndex(patterns: readonly RegExp[]): Index {
  const always: RegExp[] = [];
  const foreign: RegExp[] = [];
  const words = new Map<string, number[]>();
  patterns.forEach((pattern, at) => {
    const required = toRequiredWords(pattern);
    // A sign that has no column of its own could never be found.
    if (required === null || required.some((word) => !isPlain(word) && !isForeign(word))) {
      always.push(pattern);
      return;
    }
    if (required.some(isForeign)) foreign.push(pattern);
    for (const word of required) if (isPlain(word)) words.set(word, [...(words.get(word) ?? []), at]);
  });
  return { ...buildStates(words), patterns, always, foreign };
}

function isPlain(word: string): boolean {
  return [...word].every((sign) => SIGNS.includes(sign));
}

function isForeign(word: string): boolean {
  return /[^\p{ASCII}]/u.test(word);
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
