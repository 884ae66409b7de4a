import type { BackEnd, KeyValueRow } from "./back-end.ts";
import type { MemoryTables } from "./memory-tables.ts";
import type { KeyValuesPlace } from "./store.ts";

/** Key-value entries, and parts by their hash. */
export function createMemoryKeyValues(tables: MemoryTables): Pick<BackEnd, "keyValueRows" | "put" | "keep" | "parts"> {
  const { sessions, keyValues, parts } = tables;
  const valuesOf = ({ name, person, project }: KeyValuesPlace) => {
    const key = JSON.stringify([name, person, project]);
    const known = keyValues.get(key) ?? new Map<string, KeyValueRow & { readonly changed: number }>();
    keyValues.set(key, known);
    return known;
  };
  return {
    async keyValueRows(place, key) {
      const rows = valuesOf(place);
      if (key === null) return [...rows.values()];
      const row = rows.get(key);
      return row === undefined ? [] : [row];
    },
    async put(place, { key, text, version }) {
      const rows = valuesOf(place);
      if ((rows.get(key)?.version ?? null) !== version) return false;
      if (text === null) rows.delete(key);
      else rows.set(key, { key, text, version: (version ?? 0) + 1, changed: Date.now() });
      return true;
    },
    async keep(id, added) {
      for (const [hash, text] of added) {
        sessions.get(id)?.uses.add(hash);
        if (!parts.has(hash)) parts.set(hash, text);
      }
    },
    async parts(hashes) {
      const found = hashes.filter((hash) => parts.has(hash));
      return new Map(found.map((hash) => [hash, parts.get(hash) ?? ""]));
    },
  };
}
