import type { BackEnd, ShelfRow } from "./back-end.ts";
import type { MemoryTables } from "./memory-tables.ts";
import type { ShelfPlace } from "./store.ts";

/** Shelves, and parts by their hash. */
export function createMemoryShelves(tables: MemoryTables): Pick<BackEnd, "shelved" | "put" | "keep" | "parts"> {
  const { sessions, shelves, parts } = tables;
  const shelfOf = ({ name, person, project }: ShelfPlace) => {
    const key = JSON.stringify([name, person, project]);
    const known = shelves.get(key) ?? new Map<string, ShelfRow & { readonly changed: number }>();
    shelves.set(key, known);
    return known;
  };
  return {
    async shelved(place, key) {
      const rows = [...shelfOf(place).values()];
      return key === null ? rows : rows.filter((row) => row.key === key);
    },
    async put(place, { key, text, version }) {
      const shelf = shelfOf(place);
      if ((shelf.get(key)?.version ?? null) !== version) return false;
      if (text === null) shelf.delete(key);
      else shelf.set(key, { key, text, version: (version ?? 0) + 1, changed: Date.now() });
      return true;
    },
    async keep(id, added) {
      for (const [hash, text] of added) {
        sessions.get(id)?.uses.add(hash);
        if (!parts.has(hash)) parts.set(hash, { text, at: Date.now() });
      }
    },
    async parts(hashes) {
      const found = hashes.filter((hash) => parts.has(hash));
      return new Map(found.map((hash) => [hash, parts.get(hash)?.text ?? ""]));
    },
  };
}
