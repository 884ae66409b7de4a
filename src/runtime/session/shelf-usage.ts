import type { Use } from "../../core/search/usage-memory.ts";
import type { Shelves } from "../store/shelves.ts";
import type { UsageStore } from "./search-usage.ts";

/** What searches led to, on a shelf of the store: one person's in one project (S8). */
export function createShelfUsage(shelves: Shelves): UsageStore {
  const shelf = shelves.ofProject("usage");
  return {
    async load() {
      const found = await shelf.get("uses");
      return Array.isArray(found) ? (found as Use[]) : []; // Whoever loads it checks each of them.
    },
    save: (_tenant, uses) => shelf.change("uses", () => uses),
  };
}
