import { createHash } from "node:crypto";
import { join } from "node:path";
import { requestFile, vectorFolder } from "../../../config/layers/state-folder.ts";
import type { Embedder, VectorStorage } from "../../../core/search/vector-store.ts";
import { createVectorFile } from "../../../system/embedding/vector-file.ts";
import { createRequestFile, type RequestStore, type WrittenRequests } from "../../../system/written-requests.ts";
import type { ScopedValues } from "../../store/scoped-values.ts";
import { createStoredRequests } from "./stored-requests.ts";
import { createStoredVectors } from "./stored-vectors.ts";

/** Where it is kept what was made once for each definition, by its signature: requests and vectors. */
export interface SearchStores {
  readonly requests: RequestStore;
  vectors(embedder: Pick<Embedder, "id">): VectorStorage;
}

type Folders = Parameters<typeof vectorFolder>[0];

/** In the store; without one, in the person's own files, which all workspaces share. */
export function createSearchStores(folders: Folders, values: Pick<ScopedValues, "ofAll"> | null): SearchStores {
  const file = requestFile(folders);
  return {
    requests: values === null ? createRequestFile(file) : createStoredRequests(values.ofAll("requests"), file),
    vectors({ id }) {
      const name = createHash("sha256").update(id).digest("hex").slice(0, 40);
      const vectors = createVectorFile(join(vectorFolder(folders), `${name}.txt`));
      return values === null ? vectors : createStoredVectors(values.ofAll(`vectors ${name}`), vectors);
    },
  };
}

/** Milliseconds for which a store that is away is not asked again, so that not every search waits for it. */
const PAUSE_MS = 30_000;

/** Reads requests for a search, which goes on with what was known last where the store is away. */
export function createRequestReader(
  requests: RequestStore,
  now: () => number,
  onError: (text: string, error: unknown) => void,
): () => Promise<WrittenRequests> {
  let known: WrittenRequests = new Map();
  let asleepUntil = Number.NEGATIVE_INFINITY;
  return async () => {
    if (now() < asleepUntil) return known;
    try {
      known = await requests.load();
    } catch (error) {
      asleepUntil = now() + PAUSE_MS;
      onError("the requests that a model wrote could not be read, so the search goes without them", error);
    }
    return known;
  };
}
