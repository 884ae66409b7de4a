import type { SearchIndex } from "./search-index.ts";
import { splitWords } from "./split-words.ts";

/** The words that identify a server, not one of its tools: those of its name, and those most of its tools share. */
export type ServerWords = (server: string) => ReadonlySet<number>;

/** A word in this share of a server's tool names does not distinguish any of them. */
const COMMON = 0.6;
const FEW_TOOLS = 4;
const MAX_WORDS = 16;

/** Computed for a server on demand, and again after a change. */
export function serverWordsOf<K>(index: SearchIndex<K>): ServerWords {
  const cached = cachedWords.get(index);
  if (cached?.version === index.version) return cached.words;
  const found = new Map<string, ReadonlySet<number>>();
  const words: ServerWords = (server) => {
    const known = found.get(server);
    if (known !== undefined) return known;
    const fresh = new Set([...namesOf(index, server), ...commonOf(index, server)]);
    found.set(server, fresh);
    return fresh;
  };
  cachedWords.set(index, { version: index.version, words });
  return words;
}

const cachedWords = new WeakMap<object, { readonly version: number; readonly words: ServerWords }>();

function namesOf<K>(index: SearchIndex<K>, server: string): readonly number[] {
  return splitWords(server, MAX_WORDS).flatMap(({ term }) => index.find(term)?.id ?? []);
}

function commonOf<K>(index: SearchIndex<K>, server: string): readonly number[] {
  const slots = index.slotsOf(server);
  if (server === "" || slots.size < FEW_TOOLS) return [];
  const counts = new Map<number, number>();
  for (const slot of slots)
    for (const id of new Set(index.slots[slot]?.nameTerms)) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [...counts].flatMap(([id, count]) => (count >= COMMON * slots.size ? [id] : []));
}
