import type { SearchIndex } from "./search-index.ts";

/**
 * One more than the place of each of these words, by its number; 0 for all other words of the index. One array for all
 * queries of an index, so it says this only until the next call.
 */
export function placesOf<K>(index: SearchIndex<K>, ids: readonly number[]): Uint16Array {
  const kept = keptPlaces.get(index);
  const places = kept?.length === index.termBound ? kept.fill(0) : new Uint16Array(index.termBound);
  if (places !== kept) keptPlaces.set(index, places);
  ids.forEach((id, at) => {
    if (id >= 0) places[id] = at + 1;
  });
  return places;
}

const keptPlaces = new WeakMap<object, Uint16Array>();
