import { nearestTools } from "./compare-meaning.ts";
import { putCopiesLast } from "./copies.ts";
import { computeFeatures, FEATURE_COUNT } from "./features.ts";
import { readWords } from "./read-words.ts";
import { RERANKER_WEIGHTS } from "./reranker-weights.ts";
import { byName, type Scored, scoreWords } from "./score-words.ts";
import type { SearchIndex } from "./search-index.ts";

/**
 * How many results of the first stage are examined closely; also the limit of paging.
 * @public the script that learns the weights reads it
 */
export const MAX_CANDIDATES = 100;
/** How many tools that only a hint suggests are added. */
const MAX_HINTED = 50;

/** What is known about tools besides their words, each from 0 to 1. */
export interface Hints<K> {
  /** From `UsageMemory`. */
  readonly remembered?: ReadonlyMap<K, number>;
  /** From `VectorStore`, if an embedder is configured. */
  readonly similar?: ReadonlyMap<K, number>;
}

/** If words find fewer tools than this, the nearest in meaning are added. */
const FEW = 5;
const REMEMBERED_WEIGHT = 20;
const SIMILAR_WEIGHT = 3;

/**
 * The tools that match a request's words, best first: BM25F finds candidates, and a linear model over how each matches
 * orders them. Only slots that `allowed` marks are ever touched.
 */
export function rankWords<K>(
  index: SearchIndex<K>,
  text: string,
  allowed: Uint8Array,
  hints: Hints<K> = {},
): readonly Scored[] {
  const query = readWords(index, text);
  const found = scoreWords(index, query.terms, allowed, MAX_CANDIDATES);
  const meant = found.length >= FEW ? [] : nearestTools(index, query, allowed, FEW);
  const worded = [...found, ...meant.filter(({ slot }) => !found.some((known) => known.slot === slot))];
  const candidates = [...worded, ...hintedOnly(index, worded, allowed, hints)];
  const rows = computeFeatures(index, query, candidates);
  const ranked = candidates
    .map(({ slot }, at) => ({
      slot,
      score: weighRow(rows, at * FEATURE_COUNT) + weighHints(index, slot, hints),
    }))
    .sort((a, b) => b.score - a.score || byName(index, a.slot, b.slot));
  return putCopiesLast(index, ranked);
}

function weighRow(rows: Float64Array, from: number): number {
  let sum = 0;
  for (let at = 0; at < FEATURE_COUNT; at++) sum += (rows[from + at] ?? 0) * (RERANKER_WEIGHTS[at] ?? 0);
  return sum;
}

function weighHints<K>({ slots }: SearchIndex<K>, slot: number, { remembered, similar }: Hints<K>): number {
  const tool = slots[slot];
  if (tool === undefined) return 0;
  return (
    REMEMBERED_WEIGHT * clamp(remembered?.get(tool.key) ?? 0) + SIMILAR_WEIGHT * clamp(similar?.get(tool.key) ?? 0)
  );
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value));
}

function hintedOnly<K>(
  index: SearchIndex<K>,
  found: readonly Scored[],
  allowed: Uint8Array,
  { remembered, similar }: Hints<K>,
): readonly Scored[] {
  const all = [remembered, similar].filter((hints) => hints !== undefined);
  if (all.length === 0) return [];
  const known = new Set(found.map(({ slot }) => slot));
  return all.flatMap((hints) => {
    const fresh: Scored[] = [];
    for (const [key, score] of hints) {
      const slot = index.slotOf(key);
      if (slot === undefined || allowed[slot] !== 1 || known.has(slot)) continue;
      fresh.push({ slot, score });
    }
    const best = fresh.sort((a, b) => b.score - a.score || byName(index, a.slot, b.slot)).slice(0, MAX_HINTED);
    for (const { slot } of best) known.add(slot);
    return best.map(({ slot }) => ({ slot, score: 0 }));
  });
}
