import type { Config } from "../../../config/config.ts";
import { OWN_STORE } from "../../../config/shape/store-shape.ts";
import { createSearchStores, type SearchStores } from "../../../runtime/session/search/search-stores.ts";
import type { ScopedValues } from "../../../runtime/store/scoped-values.ts";
import type { Store } from "../../../runtime/store/store.ts";
import type { CommandInput } from "../command-line/command.ts";
import { settingPlaces } from "../running/work-place.ts";

/** Where search keeps what was made for definitions: in the store if one is configured, else in files. */
export function ownSearchStores(input: Pick<CommandInput, "io">, config: Config | undefined): SearchStores {
  return createSearchStores(settingPlaces(input.io), ownValues(input, config));
}

/** Entries of the configured store, which is opened for each use; null if none is configured, and for a world. */
function ownValues({ io }: Pick<CommandInput, "io">, config: Config | undefined): Pick<ScopedValues, "ofAll"> | null {
  const { value: url = OWN_STORE } = config?.store.url ?? {};
  if (url === OWN_STORE) return null;
  const use = async <T>(work: (store: Store) => Promise<T>): Promise<T> => {
    const { openStoreAt } = await import("../../../runtime/store/open-store.ts");
    const store = await openStoreAt(url, { ...settingPlaces(io), workspace: io.cwd });
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
        get: (key) => use((store) => store.keyValues(place).get(key)),
        entries: () => use((store) => store.keyValues(place).entries()),
        change: (key, change) => use((store) => store.keyValues(place).change(key, change)),
      };
    },
  };
}
