import type { Source } from "../../../sources/source.ts";
import type { WantedSource } from "./configured-sources.ts";

/** Sources that a program made itself, each under a key of its own for as long as the session lives. */
export function createOwnSources(): { wanted(sources: readonly Source[]): readonly WantedSource[] } {
  const keys = new WeakMap<Source, string>();
  let last = 0;
  return {
    wanted: (sources) =>
      [...new Set(sources)].map((source) => {
        const key = keys.get(source) ?? `own ${++last}`;
        keys.set(source, key);
        return { key, open: async () => source };
      }),
  };
}
