import { COUNT_BITS, FIELD_COUNT, MAX_COUNT, type Postings } from "./postings.ts";
import type { SearchIndex } from "./search-index.ts";

/** One distinct word of a query that the index knows. */
export interface QueryTerm {
  readonly postings: Postings;
  readonly idf: number;
  readonly weight: number;
}

/** BM25F: a word counts by field and rarity, and less with every repetition. */
const FIELD_WEIGHTS: readonly number[] = [3, 1, 1, 0.6, 0.3, 1];
const LENGTH_NORMS: readonly number[] = [0.5, 0.6, 0.5, 0.5, 0.6, 0.5];
export const K1 = 1.2;

/**
 * How many postings a query may examine per tool of the index. Ordinary queries stay below; a catalog whose tools all
 * contain the same words cannot make a query slower than this. Common words are left out first.
 */
const POSTINGS_PER_TOOL = 2;
const MIN_POSTINGS = 20_000;

export interface Scored {
  readonly slot: number;
  readonly score: number;
}

export function toQueryTerms<K>(index: SearchIndex<K>, terms: ReadonlyMap<string, number>): readonly QueryTerm[] {
  const found: QueryTerm[] = [];
  for (const [term, weight] of terms) {
    const postings = index.find(term);
    if (postings === undefined) continue;
    found.push({ postings, idf: idfOf(postings.size, index.size), weight });
  }
  // The request's words before synonyms, rare before common.
  found.sort((a, b) => b.weight - a.weight || a.postings.size - b.postings.size || byTerm(a, b));
  let left = Math.max(MIN_POSTINGS, POSTINGS_PER_TOOL * index.size);
  return found.filter(({ postings }, at) => {
    left -= postings.size;
    return left >= 0 || at === 0;
  });
}

function byTerm(a: QueryTerm, b: QueryTerm): number {
  return a.postings.term < b.postings.term ? -1 : 1;
}

export function idfOf(documents: number, total: number): number {
  return Math.log(1 + (total - documents + 0.5) / (documents + 0.5));
}

/**
 * The weight of one occurrence in each field of each slot: words of long fields count less. Recomputed after a change,
 * because lengths are relative to the average.
 */
export function occurrenceWorth<K>(index: SearchIndex<K>): Float64Array {
  const cached = worths.get(index);
  if (cached?.version === index.version) return cached.worth;
  const worth = new Float64Array(index.slots.length * FIELD_COUNT);
  const averages = index.totals.map((total) => total / index.size);
  for (let slot = 0; slot < index.slots.length; slot++) {
    const lengths = index.slots[slot]?.lengths;
    if (lengths === undefined) continue;
    for (let field = 0; field < FIELD_COUNT; field++) {
      const average = averages[field] ?? 0;
      const norm = LENGTH_NORMS[field] ?? 0;
      const length = average === 0 ? 1 : (lengths[field] ?? 0) / average;
      worth[slot * FIELD_COUNT + field] = (FIELD_WEIGHTS[field] ?? 0) / (1 - norm + norm * length);
    }
  }
  worths.set(index, { version: index.version, worth });
  return worth;
}

/** How rare each word is, by its number; computed on demand, and again after a change. */
export function idfsOf<K>(index: SearchIndex<K>): (id: number) => number {
  let cached = cachedIdfs.get(index);
  if (cached?.version !== index.version) {
    cached = { version: index.version, idfs: new Float64Array(index.termBound) };
    cachedIdfs.set(index, cached);
  }
  const { idfs } = cached;
  return (id) => {
    const known = idfs[id] ?? 0;
    if (known > 0) return known;
    const idf = idfOf(index.termAt(id)?.size ?? 0, index.size);
    idfs[id] = idf;
    return idf;
  };
}

const cachedIdfs = new WeakMap<object, { readonly version: number; readonly idfs: Float64Array }>();

const worths = new WeakMap<object, { readonly version: number; readonly worth: Float64Array }>();

/**
 * The weight of each posting of a common word, cached until the index changes: a few words occur in most queries and
 * have nearly all the postings. The cache is limited to a few numbers per tool.
 */
function impactsOf<K>(index: SearchIndex<K>, postings: Postings, worth: Float64Array): Float64Array | null {
  if (postings.size < MIN_KEPT) return null;
  let cached = cachedImpacts.get(index);
  if (cached?.version !== index.version) {
    cached = { version: index.version, byTerm: new Map(), left: CACHED_PER_TOOL * index.size };
    cachedImpacts.set(index, cached);
  }
  const known = cached.byTerm.get(postings);
  if (known !== undefined || cached.left < postings.size) return known ?? null;
  cached.left -= postings.size;
  const { entries, middle, size } = postings;
  const impacts = new Float64Array(size);
  for (let at = 0; at < size; at++) {
    const frequency = weigh(entries[middle + at] ?? 0, entries[at] ?? 0, worth);
    impacts[at] = frequency / (K1 + frequency);
  }
  cached.byTerm.set(postings, impacts);
  return impacts;
}

const MIN_KEPT = 128;
const CACHED_PER_TOOL = 16;
const cachedImpacts = new WeakMap<
  object,
  { readonly version: number; readonly byTerm: Map<Postings, Float64Array>; left: number }
>();

/** The `count` best of the slots that `allowed` marks; ties are in name order. */
export function scoreWords<K>(
  index: SearchIndex<K>,
  terms: readonly QueryTerm[],
  allowed: Uint8Array,
  count: number,
): readonly Scored[] {
  const worth = occurrenceWorth(index);
  const scores = emptyScores(index);
  for (const { postings, idf, weight } of terms) {
    const gain = idf * weight * (K1 + 1);
    const impacts = impactsOf(index, postings, worth);
    if (impacts === null) addRare(scores, postings, gain, worth);
    else addKept(scores, postings, gain, impacts);
  }
  return bestSlots(scores, allowed, count)
    .map((slot) => ({ slot, score: scores[slot] ?? 0 }))
    .sort((a, b) => b.score - a.score || byName(index, a.slot, b.slot))
    .slice(0, count);
}

/** A zero for each slot. All queries of an index share the array: a new one costs more than filling it. */
function emptyScores<K>(index: SearchIndex<K>): Float64Array {
  const cached = cachedScores.get(index);
  if (cached?.length === index.slots.length) return cached.fill(0);
  const fresh = new Float64Array(index.slots.length);
  cachedScores.set(index, fresh);
  return fresh;
}

const cachedScores = new WeakMap<object, Float64Array>();

function addRare(scores: Float64Array, postings: Postings, gain: number, worth: Float64Array): void {
  const { entries, middle, size } = postings;
  for (let at = 0; at < size; at++) {
    const slot = entries[at] ?? 0;
    const frequency = weigh(entries[middle + at] ?? 0, slot, worth);
    scores[slot] = (scores[slot] ?? 0) + gain * (frequency / (K1 + frequency));
  }
}

function addKept(scores: Float64Array, { entries, size }: Postings, gain: number, impacts: Float64Array): void {
  for (let at = 0; at < size; at++) {
    const slot = entries[at] ?? 0;
    scores[slot] = (scores[slot] ?? 0) + gain * (impacts[at] ?? 0);
  }
}

function weigh(packed: number, slot: number, worth: Float64Array): number {
  let frequency = 0;
  for (let at = slot * FIELD_COUNT, rest = packed; rest !== 0; at++, rest >>>= COUNT_BITS)
    frequency += (rest & MAX_COUNT) * (worth[at] ?? 0);
  return frequency;
}

/**
 * The `count` best of the allowed slots with a score, including ties with the last. One pass with a heap: sorting all
 * would cost more than scoring them.
 */
function bestSlots(scores: Float64Array, allowed: Uint8Array, count: number): readonly number[] {
  const heap = new Float64Array(count);
  const seen: number[] = [];
  let floor = 0;
  for (let slot = 0; slot < scores.length; slot++) {
    const score = scores[slot] ?? 0;
    if (score < floor || score === 0 || allowed[slot] !== 1) continue;
    seen.push(slot);
    if (score === floor) continue;
    replaceLeast(heap, score);
    floor = heap[0] ?? 0;
  }
  return seen.filter((slot) => (scores[slot] ?? 0) >= floor);
}

function replaceLeast(heap: Float64Array, score: number): void {
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && (heap[child + 1] ?? 0) < (heap[child] ?? 0)) child += 1;
    if ((heap[child] ?? 0) >= score) break;
    heap[at] = heap[child] ?? 0;
    at = child;
  }
  heap[at] = score;
}

export function byName<K>({ slots }: SearchIndex<K>, a: number, b: number): number {
  const [left, right] = [slots[a], slots[b]];
  if (left === undefined || right === undefined) return 0;
  if (left.name !== right.name) return left.name < right.name ? -1 : 1;
  return left.server < right.server ? -1 : left.server > right.server ? 1 : 0;
}
