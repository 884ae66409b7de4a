import { countIn, type Postings } from "./postings.ts";
import type { SearchIndex } from "./search-index.ts";
import type { Word } from "./split-words.ts";
import { stem } from "./stem.ts";
import { FIELDS } from "./tool-text.ts";

/** A shorter part could be chance. */
const MIN_PART = 3;
const LETTERS = /^[a-z]+$/;
const NAME = FIELDS.indexOf("name");

/** The two words of a compound that a tool's name writes separately: "mindmap", "flowdiagram"; or null. */
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
  const [rare, common] = first.size < second.size ? [first, second] : [second, first];
  const named = new Set(namedBy(rare));
  if (named.size === 0) return false;
  for (const slot of namedBy(common)) if (named.has(slot)) return true;
  return false;
}

function* namedBy({ entries, middle, size }: Postings): Generator<number> {
  for (let at = 0; at < size; at++) if (countIn(entries[middle + at] ?? 0, NAME) > 0) yield entries[at] ?? 0;
}
