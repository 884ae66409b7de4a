import type { Entry } from "../../core/catalog/entry.ts";
import { type Embedder, VectorStore } from "../../core/search/vector-store.ts";

/** How near tools are to a request, by the host's embedder. */
export interface SearchVectors {
  /** Empty when the embedder fails: a search then goes by words alone. */
  similar(query: string, entries: readonly Entry[], signal: AbortSignal): Promise<ReadonlyMap<Entry, number>>;
}

const NONE: ReadonlyMap<Entry, number> = new Map();
const BATCH = 64;
const MAX_CHARACTERS = 1_000;

/** Embeds each tool once, when a search first may find it, and forgets those that are gone. */
export function createSearchVectors(
  embedder: Embedder | null,
  onError: (text: string, error: unknown) => void,
): SearchVectors {
  const store = new VectorStore<Entry>();
  const known = new Set<Entry>();

  const learn = async (given: Embedder, entries: readonly Entry[], signal: AbortSignal): Promise<void> => {
    const wanted = new Set(entries);
    for (const entry of known)
      if (!wanted.has(entry)) {
        known.delete(entry);
        store.delete(entry);
      }
    const fresh = entries.filter((entry) => !known.has(entry));
    for (let at = 0; at < fresh.length; at += BATCH) {
      const batch = fresh.slice(at, at + BATCH);
      const vectors = await given.embed(batch.map(toText), signal);
      batch.forEach((entry, place) => {
        const vector = vectors[place];
        if (vector === undefined) return;
        known.add(entry);
        store.set(entry, vector);
      });
    }
  };

  return {
    async similar(query, entries, signal) {
      if (embedder === null || query.trim() === "") return NONE;
      try {
        await learn(embedder, entries, signal);
        const [vector] = await embedder.embed([query.slice(0, MAX_CHARACTERS)], signal);
        return vector === undefined ? NONE : store.nearest(vector);
      } catch (error) {
        onError("the embedder failed, so the search goes by words alone", error);
        return NONE;
      }
    },
  };
}

function toText({ tool }: Entry): string {
  return `${tool.name}: ${tool.description}`.slice(0, MAX_CHARACTERS);
}
