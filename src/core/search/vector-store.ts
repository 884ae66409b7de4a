/**
 * Turns texts into vectors of one length. Toolcrib ships none that knows language: configuration names one, or a host
 * provides its own.
 */
export interface Embedder {
  /** Vectors of different embedders are never compared. */
  readonly id: string;
  /** One vector for each text, in the same order. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>;
}

/** Storage for the tool vectors of one embedder, by tool signature. */
export interface VectorStorage {
  load(): Promise<ReadonlyMap<string, Float32Array>>;
  /** Replaces what was stored before. */
  save(vectors: ReadonlyMap<string, Float32Array>): Promise<void>;
}

/** Vectors of tools, made by one embedder, for `Hints.similar`. */
export class VectorStore<K> {
  readonly #vectors = new Map<K, Float32Array>();

  get size(): number {
    return this.#vectors.size;
  }

  has(key: K): boolean {
    return this.#vectors.has(key);
  }

  set(key: K, vector: Float32Array): void {
    this.#vectors.set(key, toUnit(vector));
  }

  delete(key: K): boolean {
    return this.#vectors.delete(key);
  }

  /** The `count` nearest to a query's vector with their cosine, without those of negative similarity. */
  nearest(query: Float32Array, count = 50): ReadonlyMap<K, number> {
    const unit = toUnit(query);
    const found: [K, number][] = [];
    for (const [key, vector] of this.#vectors) {
      const cosine = dot(unit, vector);
      if (cosine > 0) found.push([key, cosine]);
    }
    return new Map(found.sort(([, a], [, b]) => b - a).slice(0, count));
  }
}

function toUnit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector));
  return length > 0 ? vector.map((value) => value / length) : vector.slice();
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < Math.min(a.length, b.length); at++) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}
