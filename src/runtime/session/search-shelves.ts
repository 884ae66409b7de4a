import { createHash } from "node:crypto";
import { join } from "node:path";
import { requestFile, vectorFolder } from "../../config/layers/state-folder.ts";
import type { Embedder, VectorShelf } from "../../core/search/vector-store.ts";
import { createVectorFile } from "../../system/embedding/vector-file.ts";
import { createRequestFile, type RequestShelf, type WrittenRequests } from "../../system/written-requests.ts";
import type { Shelves } from "../store/shelves.ts";
import { createShelfRequests } from "./shelf-requests.ts";
import { createShelfVectors } from "./shelf-vectors.ts";

/** Where it is kept what was made once for each definition, by its signature: requests and vectors. */
export interface SearchShelves {
  readonly requests: RequestShelf;
  vectors(embedder: Pick<Embedder, "id">): VectorShelf;
}

type Folders = Parameters<typeof vectorFolder>[0];

/** On shelves of a store; without one in the person's own files, which all workspaces share. */
export function createSearchShelves(folders: Folders, shelves: Pick<Shelves, "ofAll"> | null): SearchShelves {
  const file = requestFile(folders);
  return {
    requests: shelves === null ? createRequestFile(file) : createShelfRequests(shelves.ofAll("requests"), file),
    vectors({ id }) {
      const name = createHash("sha256").update(id).digest("hex").slice(0, 40);
      const vectors = createVectorFile(join(vectorFolder(folders), `${name}.txt`));
      return shelves === null ? vectors : createShelfVectors(shelves.ofAll(`vectors ${name}`), vectors);
    },
  };
}

/** Milliseconds for which a store that is away is not asked again, so that not every search waits for it. */
const PAUSE_MS = 30_000;

/** Reads requests for a search, which goes on with what was known last where the store is away. */
export function createRequestReader(
  shelf: RequestShelf,
  now: () => number,
  onError: (text: string, error: unknown) => void,
): () => Promise<WrittenRequests> {
  let known: WrittenRequests = new Map();
  let asleepUntil = Number.NEGATIVE_INFINITY;
  return async () => {
    if (now() < asleepUntil) return known;
    try {
      known = await shelf.load();
    } catch (error) {
      asleepUntil = now() + PAUSE_MS;
      onError("the requests that a model wrote could not be read, so the search goes without them", error);
    }
    return known;
  };
}
