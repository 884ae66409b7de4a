import type { Config } from "../../config/config.ts";
import { OWN_STORE } from "../../config/shape/store-shape.ts";
import { createSearchShelves, type SearchShelves } from "../../runtime/session/search-shelves.ts";
import type { Shelves } from "../../runtime/store/shelves.ts";
import type { Store } from "../../runtime/store/store.ts";
import type { CommandInput } from "./command.ts";
import { placesOf } from "./running/work-place.ts";

/** Where search keeps what was made for definitions: on shelves where a store is configured, else in files. */
export function ownSearchShelves(input: Pick<CommandInput, "io">, config: Config | undefined): SearchShelves {
  return createSearchShelves(placesOf(input.io), ownShelves(input, config));
}

/** Shelves of the configured store, which is opened for each use; null where none is configured, and for none of a world. */
function ownShelves({ io }: Pick<CommandInput, "io">, config: Config | undefined): Pick<Shelves, "ofAll"> | null {
  const { value: url = OWN_STORE } = config?.store.url ?? {};
  if (url === OWN_STORE) return null;
  const use = async <T>(work: (store: Store) => Promise<T>): Promise<T> => {
    const { openStoreAt } = await import("../../runtime/store/open-store.ts");
    const store = await openStoreAt(url, { ...placesOf(io), workspace: io.cwd });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  return {
    ofAll(name) {
      const place = { name, person: "", project: "" };
      return {
        get: (key) => use((store) => store.shelf(place).get(key)),
        entries: () => use((store) => store.shelf(place).entries()),
        change: (key, change) => use((store) => store.shelf(place).change(key, change)),
      };
    },
  };
}
