import { UsageMemory, type Use } from "../../../core/search/usage-memory.ts";
import type { ScopedValues } from "../../store/scoped-values.ts";
import type { KeyValues } from "../../store/store.ts";
import { readUses, type UsageStore } from "./search-usage.ts";

/** What searches led to, stored for each person. Saving joins what other machines have learned in between (S8). */
export function createStoredUsage(valuesOf: (tenant: string) => KeyValues): UsageStore {
  return {
    load: async (tenant) => readUses(await valuesOf(tenant).get("uses")),
    save: (tenant, uses) => valuesOf(tenant).change("uses", (before) => join(readUses(before), uses)),
  };
}

/** What one person's searches led to in one project. */
export function createProjectUsage(values: Pick<ScopedValues, "ofProject">): UsageStore {
  return createStoredUsage(() => values.ofProject("usage"));
}

function join(before: readonly Use[], uses: readonly Use[]): readonly Use[] {
  const all = new Map([...before, ...uses].map((use) => [JSON.stringify([use.identity, use.at, use.query]), use]));
  return UsageMemory.from(all.values()).toUses();
}
