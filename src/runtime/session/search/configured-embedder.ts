import type { Config } from "../../../config/config.ts";
import type { Embedder } from "../../../core/search/vector-store.ts";
import { createHttpEmbedder } from "../../../system/embedding/http-embedder.ts";
import type { SearchStores } from "./search-stores.ts";
import type { VectorPorts } from "./search-vectors.ts";

/** The host's embedder, or else the configured one, whose vectors are kept for later sessions. */
export function toEmbedder(
  embedder: Embedder | undefined,
  stores: SearchStores,
  { search }: Pick<Config, "search">,
): Pick<VectorPorts, "embedder" | "storage"> {
  if (embedder !== undefined) return { embedder, storage: null };
  if (search.embedder === null) return { embedder: null, storage: null };
  const configured = createHttpEmbedder(search.embedder);
  return { embedder: configured, storage: stores.vectors(configured) };
}
