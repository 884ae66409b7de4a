import type { Catalog } from "../catalog/catalog.ts";
import type { Entry } from "../catalog/entry.ts";
import type { Promotions } from "../scene/scene.ts";

/**
 * The promoted tools that may still be shown, oldest first. Under another catalog's hash a promotion lives on only
 * with the tool's unchanged signature, so that a stale name never releases another tool (D5).
 */
export function livePromotions(catalog: Catalog, promoted: Promotions, permitted: readonly Entry[]): readonly Entry[] {
  if (promoted.names.length === 0) return [];
  const wanted = new Set(promoted.names);
  const byName = new Map<string, Entry>();
  for (const entry of permitted) if (wanted.has(entry.wireName)) byName.set(entry.wireName, entry);
  const sameCatalog = promoted.catalogHash === catalog.hash;
  return [...wanted].flatMap((name) => {
    const entry = byName.get(name);
    if (entry === undefined) return [];
    return sameCatalog || promoted.signatures.get(name) === entry.signature ? [entry] : [];
  });
}
