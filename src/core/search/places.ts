import type { SearchIndex } from "./search-index.ts";

/**
 * One more than the index of each of these words, by word number; 0 for all other words. All queries of an index share
 * the array, so it is valid only until the next call.
 */
export function wordPlaces<K>(index: SearchIndex<K>, ids: readonly number[]): Uint16Array {
  const kept = keptPlaces.get(index);
  const places = kept?.length === index.termBound ? kept.fill(0) : new Uint16Array(index.termBound);
  if (places !== kept) keptPlaces.set(index, places);
  ids.forEach((id, at) => {
    if (id >= 0) places[id] = at + 1;
  });
  return places;
}

const keptPlaces = new WeakMap<object, Uint16Array>();
