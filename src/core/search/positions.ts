import type { SearchIndex } from "./search-index.ts";

/**
 * One more than the index of each of these words, by word number; 0 for all other words. All queries of an index share
 * the array, so it is valid only until the next call.
 */
export function wordPositions<K>(index: SearchIndex<K>, ids: readonly number[]): Uint16Array {
  const cached = cachedPositions.get(index);
  const positions = cached?.length === index.termBound ? cached.fill(0) : new Uint16Array(index.termBound);
  if (positions !== cached) cachedPositions.set(index, positions);
  ids.forEach((id, at) => {
    if (id >= 0) positions[id] = at + 1;
  });
  return positions;
}

const cachedPositions = new WeakMap<object, Uint16Array>();
