const COLUMNS = 128;
/** Longer runs of letters and digits than words have: what could be encoded text. */
const LONG_RUN = 24;

/** Dashes, quotes and the like as they are typed; what is none of these could be letters in disguise. */
const TYPOGRAPHY: ReadonlyMap<number, number> = new Map(
  [..."\u2013-\u2014-\u2018'\u2019'\u201c\"\u201d\"\u2026.\u2022*\u2192-\u00b7*\u2264<\u2265>\u00d7x\u00b0*"].flatMap(
    (character, at, all) => (at % 2 === 0 ? [[character.charCodeAt(0), all[at + 1]?.charCodeAt(0) ?? 0] as const] : []),
  ),
);

/** Arrows, operators, boxes and ornaments. */
function isSign(code: number): boolean {
  return (code >= 0x2190 && code <= 0x23ff) || (code >= 0x2500 && code <= 0x27bf);
}

/**
 * Tells whether a text holds any of some words, has a character beyond ASCII and its typography, or a run of letters and digits that no
 * word is: one step for each character, whatever the number of words. Capital letters count as small
 * ones, and what joins the words of a name as a blank.
 */
export function createWordFinder(words: readonly string[]): (text: string) => boolean {
  let table: Table | null = null;
  return (text) => {
    table ??= buildTable(words);
    const { next, columns } = table;
    let state = 0;
    let run = 0;
    for (let at = 0; at < text.length; at++) {
      let code = text.charCodeAt(at);
      if (code >= COLUMNS) {
        code = TYPOGRAPHY.get(code) ?? (isSign(code) ? 32 : COLUMNS);
        if (code === COLUMNS) return true;
      }
      const column = columns[code] ?? 0;
      state = next[state + (column & 127)] ?? 0;
      if (state === 1) return true;
      run = column > 127 ? run + 1 : 0;
      if (run === LONG_RUN) return true;
    }
    return false;
  };
}

interface Table {
  /** Row after row of states, one for each column, named by where they start; 1 stands for "found". */
  readonly next: Int32Array;
  /** For each character its column, plus 128 where it could be part of encoded text. */
  readonly columns: Uint8Array;
}

/** The trie of all words, with every miss leading to where the longest end of what was read goes on. */
function buildTable(words: readonly string[]): Table {
  const { columns, width } = buildColumns(words);
  const rows = words.reduce((sum, word) => sum + word.length, 1);
  const next = new Int32Array(rows * width);
  let used = width;
  for (const word of words) {
    let state = 0;
    for (let at = 0; at < word.length && state !== 1; at++) {
      const cell = state + ((columns[word.charCodeAt(at)] ?? 0) & 127);
      if (at === word.length - 1) next[cell] = 1;
      else if (next[cell] === 0) {
        next[cell] = used;
        used += width;
      }
      state = next[cell] ?? 0;
    }
  }
  const waiting: { readonly state: number; readonly fallback: number }[] = [{ state: 0, fallback: 0 }];
  for (const { state, fallback } of waiting) {
    for (let column = 0; column < width; column++) {
      const child = next[state + column] ?? 0;
      const other = state === 0 ? 0 : (next[fallback + column] ?? 0);
      if (child === 0) next[state + column] = other;
      else if (child !== 1 && other === 1) next[state + column] = 1;
      else if (child !== 1) waiting.push({ state: child, fallback: other });
    }
  }
  return { next: next.slice(0, used), columns };
}

/** One column for each character that words are made of, and one for all others, so that the table stays small. */
function buildColumns(words: readonly string[]): { readonly columns: Uint8Array; readonly width: number } {
  const columns = new Uint8Array(COLUMNS);
  const own = new Map<string, number>();
  for (const character of words.join("")) {
    const counted = toCounted(character);
    if (!own.has(counted)) own.set(counted, own.size + 1);
  }
  for (let code = 0; code < COLUMNS; code++) {
    const character = String.fromCharCode(code);
    columns[code] = (own.get(toCounted(character)) ?? 0) + (/[A-Za-z0-9+/]/.test(character) ? 128 : 0);
  }
  return { columns, width: own.size + 1 };
}

function toCounted(character: string): string {
  return character === "_" ? " " : character.toLowerCase();
}
