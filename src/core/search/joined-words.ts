import { countIn, type Postings } from "./postings.ts";
import type { SearchIndex } from "./search-index.ts";
import type { Word } from "./split-words.ts";
import { stem } from "./stem.ts";
import { FIELDS } from "./tool-text.ts";

/** A shorter part could be chance. */
const MIN_PART = 3;
const LETTERS = /^[a-z]+$/;
const NAME = FIELDS.indexOf("name");

/** The two words of one that people write together where a tool's name has them apart: "mindmap", "flowdiagram"; or null. */
export function joinedWords<K>(index: SearchIndex<K>, word: Word): readonly Word[] | null {
  const { plain } = word;
  if (!LETTERS.test(plain)) return null;
  for (let at = MIN_PART; at <= plain.length - MIN_PART; at++) {
    const parts = [plain.slice(0, at), plain.slice(at)];
    const [first, second] = parts.map((part) => index.find(stem(part)));
    if (first === undefined || second === undefined || !nameOneTool(first, second)) continue;
    return parts.map((part) => ({ ...word, plain: part, term: stem(part) }));
  }
  return null;
}

function nameOneTool(first: Postings, second: Postings): boolean {
  const named = new Set(namedBy(first));
  return namedBy(second).some((slot) => named.has(slot));
}

function namedBy({ slots, counts, size }: Postings): readonly number[] {
  return [...slots.subarray(0, size)].filter((_, at) => countIn(counts[at] ?? 0, NAME) > 0);
}
