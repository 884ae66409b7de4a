import type { Config } from "../../config/config.ts";
import { createHttpEmbedder } from "../../system/embedding/http-embedder.ts";
import type { VectorPorts } from "./search-vectors.ts";
import type { SessionSetting } from "./setting.ts";

/** The host's embedder, or else the configured one, whose vectors are kept for later sessions. */
export function toEmbedder(
  { embedder, searchShelves }: Pick<SessionSetting, "embedder" | "searchShelves">,
  { search }: Pick<Config, "search">,
): Pick<VectorPorts, "embedder" | "shelf"> {
  if (embedder !== undefined) return { embedder, shelf: null };
  if (search.embedder === null) return { embedder: null, shelf: null };
  const configured = createHttpEmbedder(search.embedder);
  return { embedder: configured, shelf: searchShelves?.vectors(configured) ?? null };
}
