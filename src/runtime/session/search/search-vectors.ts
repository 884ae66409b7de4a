import type { Entry } from "../../../core/catalog/entry.ts";
import { type Embedder, type VectorStorage, VectorStore } from "../../../core/search/vector-store.ts";

/** How near tools are to a request, by an embedder. */
export interface SearchVectors {
  /** Empty when the embedder fails: a search then goes by words alone. */
  similar(query: string, entries: readonly Entry[], signal: AbortSignal): Promise<ReadonlyMap<Entry, number>>;
}

export interface VectorPorts {
  readonly embedder: Embedder | null;
  /** Null: vectors are for this session alone. */
  readonly storage: VectorStorage | null;
  readonly now: () => number;
  readonly onError: (text: string, error: unknown) => void;
}

const NONE: ReadonlyMap<Entry, number> = new Map();
const BATCH = 64;
const MAX_CHARACTERS = 1_000;
/** An embedder that is away is asked again after this long, so that not every search waits for it. */
const PAUSE_MS = 30_000;

/** Embeds each tool once, when a search first may find it, and forgets those that are gone. */
export function createSearchVectors({ embedder, storage, now, onError }: VectorPorts): SearchVectors {
  const store = new VectorStore<Entry>();
  const known = new Set<Entry>();
  let kept: Promise<Map<string, Float32Array>> | null = null;
  let asleepUntil = Number.NEGATIVE_INFINITY;

  const open = (): Promise<Map<string, Float32Array>> => {
    kept ??= (storage?.load() ?? Promise.resolve(new Map())).then(
      (vectors) => new Map(vectors),
      (error: unknown) => {
        onError("vectors of earlier sessions could not be read", error);
        return new Map();
      },
    );
    return kept;
  };

  const keep = (entry: Entry, vector: Float32Array): void => {
    known.add(entry);
    store.set(entry, vector);
  };

  const forgetOthers = (entries: readonly Entry[]): void => {
    const wanted = new Set(entries);
    for (const entry of known)
      if (!wanted.has(entry)) {
        known.delete(entry);
        store.delete(entry);
      }
  };

  const learn = async (given: Embedder, entries: readonly Entry[], signal: AbortSignal): Promise<void> => {
    forgetOthers(entries);
    const vectors = await open();
    for (const entry of entries) {
      const vector = known.has(entry) ? undefined : vectors.get(entry.signature);
      if (vector !== undefined) keep(entry, vector);
    }
    const fresh = entries.filter((entry) => !known.has(entry));
    let isNew = false;
    try {
      for (let at = 0; at < fresh.length; at += BATCH) {
        const batch = fresh.slice(at, at + BATCH);
        const made = await given.embed(batch.map(toText), signal);
        isNew = true;
        batch.forEach((entry, place) => {
          const vector = made[place];
          if (vector === undefined) return;
          keep(entry, vector);
          vectors.set(entry.signature, vector);
        });
      }
    } finally {
      // What an embedder made before it failed is not asked for again.
      if (isNew) await storage?.save(vectors).catch((error: unknown) => onError("vectors could not be stored", error));
    }
  };

  return {
    async similar(query, entries, signal) {
      if (embedder === null || query.trim() === "" || now() < asleepUntil) return NONE;
      try {
        await learn(embedder, entries, signal);
        const [vector] = await embedder.embed([query.slice(0, MAX_CHARACTERS)], signal);
        return vector === undefined ? NONE : store.nearest(vector);
      } catch (error) {
        if (!signal.aborted) asleepUntil = now() + PAUSE_MS;
        onError("the embedder failed, so the search goes by words alone", error);
        return NONE;
      }
    },
  };
}

function toText({ tool }: Entry): string {
  return `${tool.name}: ${tool.description}`.slice(0, MAX_CHARACTERS);
}
