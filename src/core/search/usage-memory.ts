import { idfOf } from "./score-words.ts";
import type { SearchIndex } from "./search-index.ts";
import { splitWords } from "./split-words.ts";

/** A search followed by a successful call. */
export interface Use {
  readonly query: string;
  /** The name that people and pins use: it stays the same when wire names change. */
  readonly identity: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

interface Remembered {
  readonly terms: readonly string[];
  readonly at: number;
}

/** The age at which a use counts half. */
const HALF_LIFE_MS = 30 * 24 * 60 * 60 * 1_000;
const MAX_USES = 32;
const MAX_TOOLS = 2_000;
const MAX_TERMS = 48;
const MAX_IDENTITY = 512;
const K = 0.8;

/**
 * Which words led to which tool, for one tenant: one tenant's sessions never affect another's results. Only successful
 * calls are recorded. The oldest uses of a tool are dropped first, and the least recently used tools.
 */
export class UsageMemory {
  readonly #uses = new Map<string, readonly Remembered[]>();

  static from(uses: Iterable<Use>): UsageMemory {
    const memory = new UsageMemory();
    for (const use of [...uses].sort((a, b) => a.at - b.at)) memory.record(use);
    return memory;
  }

  get size(): number {
    return this.#uses.size;
  }

  record({ query, identity, at }: Use): void {
    const terms = [...new Set(splitWords(query, MAX_TERMS).map(({ term }) => term))].sort();
    if (terms.length === 0 || identity.length > MAX_IDENTITY) return;
    const earlier = this.#uses.get(identity) ?? [];
    this.#uses.delete(identity);
    this.#uses.set(identity, [...earlier, { terms, at }].slice(-MAX_USES));
    const [oldest] = this.#uses.keys();
    if (this.#uses.size > MAX_TOOLS && oldest !== undefined) this.#uses.delete(oldest);
  }

  /** The uses to store, for `UsageMemory.from`. Words are stored as stems, so the text of requests is not. */
  toUses(): readonly Use[] {
    return [...this.#uses].flatMap(([identity, uses]) =>
      uses.map(({ terms, at }) => ({ query: terms.join(" "), identity, at })),
    );
  }

  /** How well each remembered tool matches a query, from 0 to 1. */
  match(index: SearchIndex<unknown>, query: string, now: number): ReadonlyMap<string, number> {
    const wanted = new Map<string, number>();
    let total = 0;
    for (const { term } of splitWords(query, MAX_TERMS)) {
      if (wanted.has(term)) continue;
      const idf = idfOf(index.find(term)?.size ?? 0, Math.max(1, index.size));
      wanted.set(term, idf);
      total += idf;
    }
    const found = new Map<string, number>();
    for (const [identity, uses] of this.#uses) {
      const score = scoreUses(uses, wanted, now) / Math.max(total, 1e-9);
      if (score > 0) found.set(identity, score);
    }
    return found;
  }
}

function scoreUses(uses: readonly Remembered[], wanted: ReadonlyMap<string, number>, now: number): number {
  const counts = new Map<string, number>();
  for (const { terms, at } of uses) {
    const weight = 2 ** (-Math.max(0, now - at) / HALF_LIFE_MS);
    for (const term of terms) if (wanted.has(term)) counts.set(term, (counts.get(term) ?? 0) + weight);
  }
  let score = 0;
  for (const [term, count] of counts) score += ((wanted.get(term) ?? 0) * count) / (K + count);
  return score;
}
