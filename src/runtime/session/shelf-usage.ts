import { UsageMemory, type Use } from "../../core/search/usage-memory.ts";
import type { Shelves } from "../store/shelves.ts";
import type { Shelf } from "../store/store.ts";
import { readUses, type UsageStore } from "./search-usage.ts";

/** What searches led to, on a shelf of the store for each person; what other machines learned meanwhile stays (S8). */
export function createShelfUsage(shelfOf: (tenant: string) => Shelf): UsageStore {
  return {
    load: async (tenant) => readUses(await shelfOf(tenant).get("uses")),
    save: (tenant, uses) => shelfOf(tenant).change("uses", (before) => join(readUses(before), uses)),
  };
}

/** What one person's searches led to in one project. */
export function createProjectUsage(shelves: Pick<Shelves, "ofProject">): UsageStore {
  return createShelfUsage(() => shelves.ofProject("usage"));
}

function join(before: readonly Use[], uses: readonly Use[]): readonly Use[] {
  const all = new Map([...before, ...uses].map((use) => [JSON.stringify([use.identity, use.at, use.query]), use]));
  return UsageMemory.from(all.values()).toUses();
}
