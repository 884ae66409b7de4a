import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import { createHttpEmbedder } from "../../system/embedding/http-embedder.ts";
import { createVectorFile } from "../../system/embedding/vector-file.ts";
import type { VectorPorts } from "./search-vectors.ts";
import type { SessionSetting } from "./setting.ts";

/** The host's embedder, or else the configured one, whose vectors are kept for later sessions. */
export function toEmbedder(
  { embedder, place }: Pick<SessionSetting, "embedder" | "place">,
  { search }: Pick<Config, "search">,
): Pick<VectorPorts, "embedder" | "shelf"> {
  if (embedder !== undefined) return { embedder, shelf: null };
  if (search.embedder === null) return { embedder: null, shelf: null };
  const configured = createHttpEmbedder(search.embedder);
  if (place.vectors === undefined) return { embedder: configured, shelf: null };
  const name = createHash("sha256").update(configured.id).digest("hex").slice(0, 40);
  return { embedder: configured, shelf: createVectorFile(join(place.vectors, `${name}.txt`)) };
}
