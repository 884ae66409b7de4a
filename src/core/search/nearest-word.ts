import { lettersOf } from "./letters.ts";
import { countIn } from "./postings.ts";
import type { SearchIndex } from "./search-index.ts";
import type { Word } from "./split-words.ts";
import { stem } from "./stem.ts";
import { FIELDS } from "./tool-text.ts";

/** Shorter words are too similar to each other. */
const MIN_LENGTH = 4;
/** From this length on two letters may be wrong. */
const LONG = 8;
/** In shorter words another letter makes another word: "braid" is no mistyped "brand". */
const CLEAR = 6;

/** The index knows stems only, and the stemmer does not recognise a mistyped ending. */
const ENDINGS = ["s", "es", "ed", "ing", "er", "ers", "ment", "ments", "ion", "ions", "ation", "ations"];

interface Near {
  readonly term: string;
  readonly distance: number;
  /** In how many tool names it occurs: "wether" means "weather" and not "whether". */
  readonly named: number;
  readonly size: number;
}

/**
 * The word of the index that a mistyped one meant. Of equally near ones, the most frequent in tool names, then the most
 * frequent; or null.
 */
export function nearestWord<K>(index: SearchIndex<K>, { plain, term }: Word): string | null {
  if (plain.length < MIN_LENGTH || NOT_LETTERS.test(plain)) return null;
  const allowed = plain.length < LONG ? 1 : 2;
  const letters = lettersOf(term);
  let best: Near | null = null;
  const { terms, masks } = termsByLetter(index).get(plain[0] ?? "") ?? NONE;
  for (let at = 0; at < terms.length; at++) {
    if (!differAtMost(letters ^ (masks[at] ?? 0), 2 * allowed)) continue;
    const known = terms[at] ?? "";
    if (!beginsAlike(term, known)) continue;
    const distance = editDistance(term, known, allowed, plain.length < CLEAR ? 2 : 1);
    if (distance > allowed) continue;
    const near = { term: known, distance, ...countTools(index, known) };
    if (best === null || isNearer(near, best)) best = near;
  }
  return best?.term ?? withEnding(index, plain);
}

/** Where British spelling differs, and the spelling that most tools use. */
const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/our/, "or"],
  [/([iy])s(?=e|ing|ation)/, "$1z"],
  [/tre(?=s?$)/, "ter"],
  [/logue/, "log"],
  [/ll(?=ed|ing|er)/, "l"],
  [/ence(?=s?$)/, "ense"],
  [/[ao]e/, "e"],
  [/tef/, "tif"],
];

/** The American spelling of a British word, if the index has it; or null. */
export function otherSpelling<K>(index: SearchIndex<K>, { plain }: Word): string | null {
  for (const [british, other] of SPELLINGS) {
    const term = stem(plain.replace(british, other));
    if (british.test(plain) && index.find(term) !== undefined) return term;
  }
  return null;
}

/** At least one of the second and third letters is right, though perhaps swapped. */
function beginsAlike(a: string, b: string): boolean {
  return a[1] === b[1] || a[2] === b[2] || a[1] === b[2] || a[2] === b[1];
}

/** A word of the index with an ending that has one wrong letter. */
function withEnding<K>(index: SearchIndex<K>, plain: string): string | null {
  for (const ending of ENDINGS)
    for (const length of [ending.length - 1, ending.length, ending.length + 1]) {
      const root = plain.slice(0, plain.length - length);
      if (root.length < MIN_LENGTH || editDistance(plain.slice(root.length), ending, 1) > 1) continue;
      const term = stem(root + ending);
      if (index.find(term) !== undefined) return term;
    }
  return null;
}

const NOT_LETTERS = /[^a-z]/;

function isNearer(a: Near, b: Near): boolean {
  if (a.distance !== b.distance) return a.distance < b.distance;
  if (a.named !== b.named) return a.named > b.named;
  return a.size === b.size ? a.term < b.term : a.size > b.size;
}

const NAME = FIELDS.indexOf("name");

function countTools<K>(index: SearchIndex<K>, term: string): Pick<Near, "named" | "size"> {
  const { entries = [], middle = 0, size = 0 } = index.find(term) ?? {};
  let named = 0;
  for (let at = middle; at < middle + size; at++) if (countIn(entries[at] ?? 0, NAME) > 0) named += 1;
  return { named, size };
}

/** Words with the same beginning, and the letters of each. */
interface Beginning {
  readonly terms: string[];
  readonly masks: number[];
}
const NONE: Beginning = { terms: [], masks: [] };

function differAtMost(letters: number, most: number): boolean {
  let rest = letters;
  for (let count = 0; count < most; count++) rest &= rest - 1;
  return rest === 0;
}

/** The words of an index by first letter, grouped on demand and again after a change. */
function termsByLetter<K>(index: SearchIndex<K>): ReadonlyMap<string, Beginning> {
  const cached = cachedTerms.get(index);
  if (cached?.version === index.version) return cached.byLetter;
  const byLetter = new Map<string, Beginning>();
  for (const term of index.terms()) {
    if (NOT_LETTERS.test(term) || term.length < MIN_LENGTH) continue;
    const known = byLetter.get(term[0] ?? "") ?? { terms: [], masks: [] };
    byLetter.set(term[0] ?? "", known);
    known.terms.push(term);
    known.masks.push(lettersOf(term));
  }
  cachedTerms.set(index, { version: index.version, byLetter });
  return byLetter;
}

const cachedTerms = new WeakMap<
  object,
  { readonly version: number; readonly byLetter: ReadonlyMap<string, Beginning> }
>();

/** Letters inserted, omitted, changed or swapped with their neighbour; stops above `most`. */
function editDistance(a: string, b: string, most: number, change = 1): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before: number[] = [];
  let last = [0];
  for (let j = 1; j <= b.length; j++) last.push(j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : change;
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      row.push(cost);
      least = Math.min(least, cost);
    }
    if (least > most) return most + 1;
    before = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
